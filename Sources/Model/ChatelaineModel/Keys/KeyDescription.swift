/// What an item of class key says of its key, beside the attributes that its owner chooses: kind, public key, and what may become of a private one.
///
/// It stands with the attributes of the item. So whoever finds a key has its public half without asking for more.
package struct KeyDescription: Hashable, Sendable {
    /// PKCS#1 of the largest RSA key, with room to spare.
    package static let maximumPublicBytes = 2 * 1024

    package var kind: KeyKind
    /// Nil of a public key.
    package var use: PrivateKeyUse?
    /// The external representation of the public key.
    package var publicBytes: [UInt8]

    package init(kind: KeyKind, use: PrivateKeyUse?, publicBytes: [UInt8]) {
        self.kind = kind
        self.use = use
        self.publicBytes = publicBytes
    }

    /// Whether its bytes may be given out.
    package var isExportable: Bool { use == nil || use == .exportable }

    /// Whether it is a private key, and that of a certificate. Programs choose the label by which a key is found; its public half they do not.
    package func isPrivateHalf(of key: CertificateKey) -> Bool { use != nil && publicBytes == key.representation }
}

extension KeyDescription: CBORValue {
    private enum Field: UInt64, CBORField {
        case kind = 0
        case use = 1
        case publicBytes = 2
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.kind, kind)
            $0.write(Field.use, use)
            $0.write(Field.publicBytes, publicBytes)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        let kind: KeyKind = try map.read(Field.kind)
        let use: PrivateKeyUse? = try map.readIfPresent(Field.use)
        try map.find(Field.publicBytes)
        let bytes = try map.reader.readBytes()
        guard bytes.count <= Self.maximumPublicBytes else { throw .limitExceeded }
        self.init(kind: kind, use: use, publicBytes: [UInt8](bytes))
        reader = try map.end()
    }
}
