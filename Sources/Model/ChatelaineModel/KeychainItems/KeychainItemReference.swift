/// A reference to an item of a file keychain that can be stored: which keychain, and which item in it, 37 bytes.
///
/// It names the keychain by what that calls itself and not by its path, so that it holds where the file was moved. Its length tells it from a
/// ``PersistentReference`` into the data protection keychain.
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

/// An item of a file keychain as a program holds it: with the place where its keychain was.
package struct KeychainItemHandle: Sendable {
    package let reference: KeychainItemReference
    /// The keychain's resolved path; nil of a reference that was stored, whose keychain is looked for in the search list.
    package let path: String?

    package init(_ reference: KeychainItemReference, at path: String?) {
        self.reference = reference
        self.path = path
    }

    /// What has the same identifier in the same keychain, as an identity has its certificate's.
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
