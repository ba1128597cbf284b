/// A private key to make in the keychain, and its public key if that becomes an item as well; or a symmetric key alone.
package struct NewKeyPair: Sendable {
    package var kind: KeyKind
    /// The size of keys of RSA and elliptic curves.
    package var bits: UInt32
    package var privateKey: NewItem
    package var publicKey: NewItem?

    package init(kind: KeyKind, bits: UInt32, privateKey: NewItem, publicKey: NewItem? = nil) {
        self.kind = kind
        self.bits = bits
        self.privateKey = privateKey
        self.publicKey = publicKey
    }

    /// Throws if the items break a rule of new items: a request comes over a socket.
    package func validate() throws(KeychainError) {
        for item in [privateKey] + (publicKey.map { [$0] } ?? []) {
            guard item.itemClass == .key, item.keyKind == kind, item.secret == nil else {
                throw KeychainError(.param, "a key that is made in the keychain is an item of class key without bytes")
            }
            try item.validate()
        }
        if kind == .aes {
            guard publicKey == nil else { throw KeychainError(.param, "a symmetric key has no public key") }
            return
        }
        guard privateKey.keyHalf == .privateKey, publicKey?.keyHalf ?? .publicKey == .publicKey else {
            throw KeychainError(.param, "of a pair one key is private and the other one public")
        }
        guard publicKey?.attributes[.tokenID] == nil else {
            throw KeychainError(.param, "a public key is on no token")
        }
    }
}

extension NewKeyPair: CBORValue {
    private enum Field: UInt64, CBORField {
        case kind = 0
        case bits = 1
        case privateKey = 2
        case publicKey = 3
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.kind, kind)
            $0.write(Field.bits, bits)
            $0.write(Field.privateKey, privateKey)
            $0.write(Field.publicKey, publicKey)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        let kind: KeyKind = try map.read(Field.kind)
        let bits: UInt32 = try map.read(Field.bits)
        let privateKey: NewItem = try map.read(Field.privateKey)
        self.init(kind: kind, bits: bits, privateKey: privateKey, publicKey: try map.readIfPresent(Field.publicKey))
        reader = try map.end()
    }
}
