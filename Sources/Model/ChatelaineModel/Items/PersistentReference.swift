/// A storable reference to an item (`kSecValuePersistentRef`): its class and its identifier, 20 bytes.
package struct PersistentReference: Hashable, Sendable {
    package static let byteCount = 4 + ItemIdentifier.byteCount

    package let itemClass: ItemClass
    package let identifier: ItemIdentifier

    package init(itemClass: ItemClass, identifier: ItemIdentifier) {
        self.itemClass = itemClass
        self.identifier = identifier
    }

    /// Nil unless the bytes are those of a reference.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount,
            let itemClass = ItemClass(name: String(decoding: bytes.prefix(4), as: UTF8.self)),
            let identifier = ItemIdentifier(bytes.dropFirst(4))
        else { return nil }
        self.init(itemClass: itemClass, identifier: identifier)
    }

    package var bytes: [UInt8] { Array(itemClass.name.utf8) + identifier.bytes }
}
