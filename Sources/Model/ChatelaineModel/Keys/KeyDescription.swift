/// The kind, the public key and the custody of an item of class key, apart from the attributes that its owner
/// chooses.
///
/// It is stored with the item's attributes, so that a search returns the public half without reading more.
package struct KeyDescription: Hashable, Sendable {
    /// PKCS#1 of the largest RSA key, with room to spare.
    package static let maximumPublicBytes = 2 * 1024
    /// The longest private key in bytes, whatever its form; one of RSA with 8192 bits has 4.7 KiB.
    package static let maximumPrivateBytes = 8 * 1024

    package var kind: KeyKind
    /// Nil for a public key.
    package var custody: KeyCustody?
    /// The external representation of the public key.
    package var publicBytes: [UInt8]

    package init(kind: KeyKind, custody: KeyCustody?, publicBytes: [UInt8]) {
        self.kind = kind
        self.custody = custody
        self.publicBytes = publicBytes
    }

    /// Whether the bytes of the key may leave the keychain.
    package var isExportable: Bool { custody == nil || custody == .exportable }

    /// Whether this is the private half of a certificate's key.
    ///
    /// It compares public keys, since programs can choose the label by which a key is found.
    package func isPrivateHalf(of key: CertificateKey) -> Bool { custody != nil && publicBytes == key.representation }
}

extension KeyDescription: CBORValue {
    private enum Field: UInt64, CBORField {
        case kind = 0
        case custody = 1
        case publicBytes = 2
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.kind, kind)
            $0.write(Field.custody, custody)
            $0.write(Field.publicBytes, publicBytes)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        let kind: KeyKind = try map.read(Field.kind)
        let custody: KeyCustody? = try map.readIfPresent(Field.custody)
        try map.find(Field.publicBytes)
        let bytes = try map.reader.readBytes()
        guard bytes.count <= Self.maximumPublicBytes else { throw .limitExceeded }
        self.init(kind: kind, custody: custody, publicBytes: [UInt8](bytes))
        reader = try map.end()
    }
}
