/// An item of a file keychain that a search found.
package struct KeychainItem: Sendable {
    package var item: FoundItem
    /// The identifier of its keychain.
    package var keychain: StoreIdentifier
    /// The path of its keychain at the time of the search.
    package var path: String
    /// Whether its attributes are authenticated. While a keychain is locked, they are read from its file without proof.
    package var isVerified: Bool

    package init(_ item: FoundItem, of keychain: StoreIdentifier, at path: String, isVerified: Bool) {
        self.item = item
        self.keychain = keychain
        self.path = path
        self.isVerified = isVerified
    }

    package var handle: KeychainItemHandle { KeychainItemHandle(reference, at: path) }

    package var reference: KeychainItemReference {
        KeychainItemReference(keychain: keychain, item: item.persistentReference)
    }
}

extension KeychainItem: CBORValue {
    private enum Field: UInt64, CBORField {
        case item = 0
        case keychain = 1
        case path = 2
        case isVerified = 3
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.item, item)
            $0.write(Field.keychain, keychain)
            $0.write(Field.path, path)
            $0.write(Field.isVerified, isVerified)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        self.init(
            try map.read(Field.item), of: try map.read(Field.keychain), at: try map.read(Field.path),
            isVerified: try map.read(Field.isVerified))
        reader = try map.end()
    }
}
