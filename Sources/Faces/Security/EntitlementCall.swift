import ChatelaineIPC
import ChatelaineModel
import Foundation

/// Reads the entitlements of the calling program, for Swift and for C alike.
package enum EntitlementCall {
    /// - Parameter name: the name of an entitlement; any other value than a text is `errSecParam`.
    package static func value(_ name: QueryValue) throws(KeychainError) -> ResultTree? {
        guard case .text(let name) = name else { throw KeychainError(.param, "the name of an entitlement is a string") }
        return try own()[name]
    }

    /// - Parameter names: an array of names of entitlements.
    package static func values(_ names: QueryValue) throws(KeychainError) -> ResultTree? {
        guard case .array(let elements) = names, elements.count <= Limits.listedItems else {
            throw KeychainError(
                .param, "names of entitlements are an array of \(Limits.listedItems) strings at the most")
        }
        var names: Set<String> = []
        for element in elements {
            guard case .text(let name) = element else {
                throw KeychainError(.param, "one of the names of entitlements is no string")
            }
            names.insert(name)
        }
        let own = try own()
        return .dictionary(names.compactMap { name in own[name].map { (name, $0) } })
    }

    package static func signingIdentifier() throws(KeychainError) -> ResultTree? {
        try KeychainClient.shared.entitlements().identifier
            .map { .text(String(decoding: $0.utf8.dropFirst(TeamIdentifier.length + 1), as: UTF8.self)) }
    }

    private static func own() throws(KeychainError) -> [String: ResultTree] {
        let signed = try KeychainClient.shared.entitlements()
        guard let identifier = signed.identifier else { return [:] }
        do {
            let entitlements = try JSONDecoder().decode([String: Entitlement].self, from: Data(signed.entitlements))
            // The signature may state the identifier without an entitlement of that name.
            return ["application-identifier": .text(identifier)].merging(entitlements.compactMapValues(\.tree)) { $1 }
        } catch { throw KeychainError(.decode, "the entitlements of this program cannot be read") }
    }
}

/// A value of an entitlement; JSON's null is no value.
private struct Entitlement: Decodable {
    let tree: ResultTree?

    init(from decoder: any Decoder) throws {
        if let members = try? decoder.container(keyedBy: Name.self) {
            tree = .dictionary(
                try members.allKeys.compactMap { key in
                    try members.decode(Entitlement.self, forKey: key).tree.map { (key.stringValue, $0) }
                })
            return
        }
        if var elements = try? decoder.unkeyedContainer() {
            var trees: [ResultTree] = []
            while !elements.isAtEnd {
                if let tree = try elements.decode(Entitlement.self).tree { trees.append(tree) }
            }
            tree = .array(trees)
            return
        }
        let value = try decoder.singleValueContainer()
        if value.decodeNil() {
            tree = nil
        } else if let flag = try? value.decode(Bool.self) {
            tree = .flag(flag)
        } else if let number = try? value.decode(Int64.self) {
            tree = .number(number)
        } else if let number = try? value.decode(Double.self) {
            tree = .real(number)
        } else {
            tree = .text(try value.decode(String.self))
        }
    }

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
