import ChatelaineModel
import FoundationEssentials
import SignatureFormat

/// Reads entitlements from a property list, as Xcode keeps them, or from a JSON object.
enum EntitlementsFile {
    /// Variables that Xcode replaces before it signs, with the team and a full stop.
    private static let prefixes = ["$(AppIdentifierPrefix)", "$(TeamIdentifierPrefix)"]

    static func read(_ bytes: [UInt8], of team: TeamIdentifier) throws(KeychainError) -> JSONObject {
        guard bytes.count <= SignatureLimits.maximumFileBytes else {
            throw KeychainError(
                .dataTooLarge, "the entitlements have more than \(SignatureLimits.maximumFileBytes) bytes")
        }
        let first = bytes.first { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }
        let value = first == UInt8(ascii: "{") ? try json(bytes) : try propertyList(bytes)
        guard let object = expanded(value, team).object else {
            throw KeychainError(.param, "the entitlements are no dictionary")
        }
        return object
    }

    private static func json(_ bytes: [UInt8]) throws(KeychainError) -> JSONValue {
        do throws(SignatureFlaw) { return try JSONScanner.scan(bytes) } catch {
            throw KeychainError(.param, "the entitlements cannot be read: \(error.detail)")
        }
    }

    private static func propertyList(_ bytes: [UInt8]) throws(KeychainError) -> JSONValue {
        do { return try PropertyListDecoder().decode(PropertyListValue.self, from: Data(bytes)).value } catch {
            throw KeychainError(
                .param,
                "the entitlements are neither JSON nor a property list of texts, whole numbers, lists and the like")
        }
    }

    private static func expanded(_ value: JSONValue, _ team: TeamIdentifier) -> JSONValue {
        switch value {
        case .string(let text):
            guard let prefix = prefixes.first(where: { text.utf8.starts(with: $0.utf8) }) else { return value }
            return .string("\(team)." + text.dropFirst(prefix.count))
        case .array(let values): return .array(values.map { expanded($0, team) })
        case .object(let object):
            return .object(
                JSONObject(
                    members: object.members.map { .init(name: $0.name, value: expanded($0.value, team)) }))
        default: return value
        }
    }
}

/// A property list whose values JSON can also express; dates, data and fractions are no entitlements.
private struct PropertyListValue: Decodable {
    let value: JSONValue

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        if let container = try? decoder.container(keyedBy: Name.self) {
            // Sorted, so that the same entitlements always give the same bytes.
            let names = container.allKeys.sorted { $0.stringValue.utf8.lexicographicallyPrecedes($1.stringValue.utf8) }
            let members = try names.map { name in
                JSONObject.Member(
                    name: name.stringValue, value: try container.decode(PropertyListValue.self, forKey: name).value)
            }
            value = .object(JSONObject(members: members))
        } else if var container = try? decoder.unkeyedContainer() {
            var values: [JSONValue] = []
            while !container.isAtEnd { values.append(try container.decode(PropertyListValue.self).value) }
            value = .array(values)
        } else {
            let container = try decoder.singleValueContainer()
            if let flag = try? container.decode(Bool.self) {
                value = .bool(flag)
            } else if let text = try? container.decode(String.self) {
                value = .string(text)
            } else {
                value = .integer(try container.decode(Int64.self))
            }
        }
    }
}
