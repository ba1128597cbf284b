import ChatelaineModel
import ItemStore
import StoreEngine

/// Conversions between expected values and the store's types.
extension ExpectedHome.Item {
    package init?(_ found: FoundItem) {
        guard case .text(let group)? = found.attributes[.accessGroup] else { return nil }
        let hidden: Set<AttributeKey> = [.accessGroup, .creationDate, .modificationDate]
        var attributes: [String: ExpectedHome.Value] = [:]
        for entry in found.attributes.entries where !hidden.contains(entry.key) {
            attributes[entry.key.name] = ExpectedHome.Value(entry.value)
        }
        self.init(
            group: group, itemClass: found.itemClass.name, accessible: found.accessibility.name,
            isSynchronizable: found.isSynchronizable, attributes: attributes,
            secret: found.secret.map { $0.withUnsafeBytes { String(decoding: $0, as: UTF8.self) } },
            identifier: ExpectedHome.hexadecimal(found.identifier.bytes))
        flags = found.constraints.flatMap { AccessControlFlags(of: $0)?.rawValue }
    }
}

extension ExpectedHome.Value {
    /// Converts a value; nil for a date.
    package init?(_ value: AttributeValue) {
        switch value {
        case .text(let text): self = .text(text)
        case .number(let number): self = .number(number)
        case .data(let bytes): self = .data(ExpectedHome.hexadecimal(bytes))
        case .date: return nil
        }
    }
}

extension ChangeRequest {
    package init(_ request: ExpectedHome.Request) throws {
        try self.init(
            // The name of the answer after a migration from format 2.
            name: ExpectedHome.bytes(request.caller) + ExpectedHome.bytes(request.identifier),
            digest: ExpectedHome.bytes(request.digest))
    }
}

extension ItemQuery {
    /// A query for all items of a class.
    package static func everything(_ itemClass: ItemClass) -> ItemQuery {
        var query = ItemQuery(itemClass: itemClass)
        query.synchronizable = .any
        query.limit = .all
        query.returns = [.data, .attributes]
        return query
    }
}
