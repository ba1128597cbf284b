/// A storable reference to an item of a file keychain: the keychain and the item in it, 37 bytes.
///
/// It has the keychain's identifier instead of its path, so that it stays valid when the file moves. Its length
/// distinguishes it from a ``PersistentReference`` into the data protection keychain.
package struct KeychainItemReference: Hashable, Sendable {
    private static let version: UInt8 = 1
    package static let byteCount = 1 + StoreIdentifier.byteCount + PersistentReference.byteCount

    package let keychain: StoreIdentifier
    package let item: PersistentReference

    package init(keychain: StoreIdentifier, item: PersistentReference) {
        self.keychain = keychain
        self.item = item
    }

    /// Nil unless the bytes are those of a reference.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount, bytes.first == Self.version,
            let keychain = StoreIdentifier(bytes[1...StoreIdentifier.byteCount]),
            let item = PersistentReference(Array(bytes[(1 + StoreIdentifier.byteCount)...]))
        else { return nil }
        self.init(keychain: keychain, item: item)
    }

    package var bytes: [UInt8] { [Self.version] + keychain.bytes + item.bytes }
}

/// An item of a file keychain as a program holds it: its reference and the path of its keychain.
package struct KeychainItemHandle: Sendable {
    package let reference: KeychainItemReference
    /// The keychain's resolved path; nil for a stored reference, whose keychain is looked up in the search list.
    package let path: String?

    package init(_ reference: KeychainItemReference, at path: String?) {
        self.reference = reference
        self.path = path
    }

    /// A handle for another class with the same identifier, or with the given one, in the same keychain.
    ///
    /// An identity has the identifier of its certificate.
    package func naming(_ itemClass: ItemClass, _ identifier: ItemIdentifier? = nil) -> KeychainItemHandle {
        let item = PersistentReference(
            itemClass: itemClass, identifier: identifier ?? reference.item.identifier)
        return KeychainItemHandle(KeychainItemReference(keychain: reference.keychain, item: item), at: path)
    }
}

extension KeychainItemReference: CBORValue {
    package func encode(to writer: inout CBORWriter) { writer.write(bytes) }

    package init(from reader: inout CBORReader) throws(CBORError) {
        guard let reference = Self(try reader.readArray()) else { throw .outOfRange }
        self = reference
    }
}
