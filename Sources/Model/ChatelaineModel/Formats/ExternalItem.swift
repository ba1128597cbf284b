import ChatelaineMemory

/// A certificate or key in a file.
package struct ExternalItem: Equatable, Sendable {
    package enum Content: Equatable, Sendable {
        /// - Parameters:
        ///   - der: its bytes; only boundaries and public key were parsed.
        ///   - key: the public key in its external representation; nil if this project cannot use it.
        case certificate(der: [UInt8], key: [UInt8]?)
        /// The key in its external representation, like a public one (`SecKeyCopyExternalRepresentation`).
        case privateKey(KeyKind, SecretBytes)
        case publicKey(KeyKind, [UInt8])
        case sessionKey(SecretBytes)
    }

    package var content: Content
    /// The name in the file: a friendly name, or the comment of an OpenSSH key.
    package var label: String?
    /// The identifier with which the file relates keys to certificates.
    package var keyID: [UInt8]?
    /// The index of the certificate whose subject is this one's issuer.
    ///
    /// The signature is verified where several certificates have that subject.
    package var issuer: UInt64?

    package init(_ content: Content, label: String? = nil, keyID: [UInt8]? = nil) {
        self.content = content
        self.label = label
        self.keyID = keyID
    }

    package var kind: ExternalKind {
        switch content {
        case .certificate: .certificate
        case .privateKey: .privateKey
        case .publicKey: .publicKey
        case .sessionKey: .sessionKey
        }
    }
}

extension ExternalItem: CBORValue {
    private enum Field: UInt64, CBORField {
        case kind = 1
        case keyKind = 2
        case bytes = 3
        case certificateKey = 4
        case label = 5
        case keyID = 6
        case issuer = 7
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.kind, kind)
            switch content {
            case .certificate(let der, let key):
                $0.write(Field.bytes, der)
                $0.write(Field.certificateKey, key)
            case .privateKey(let kind, let bytes):
                $0.write(Field.keyKind, kind)
                $0.write(Field.bytes, bytes)
            case .publicKey(let kind, let bytes):
                $0.write(Field.keyKind, kind)
                $0.write(Field.bytes, bytes)
            case .sessionKey(let bytes): $0.write(Field.bytes, bytes)
            }
            $0.write(Field.label, label)
            $0.write(Field.keyID, keyID)
            $0.write(Field.issuer, issuer)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        let kind: ExternalKind = try map.read(Field.kind)
        switch kind {
        case .certificate:
            let der: [UInt8] = try map.read(Field.bytes)
            let key: [UInt8]? = try map.readIfPresent(Field.certificateKey)
            guard der.count <= FormatLimits.maximumCertificateBytes,
                key?.count ?? 0 <= FormatLimits.maximumKeyBytes
            else { throw .limitExceeded }
            content = .certificate(der: der, key: key)
        case .privateKey:
            let (kind, bytes): (KeyKind, SecretBytes) = (try map.read(Field.keyKind), try map.read(Field.bytes))
            guard kind != .aes else { throw .outOfRange }
            guard bytes.count <= FormatLimits.maximumKeyBytes else { throw .limitExceeded }
            content = .privateKey(kind, bytes)
        case .publicKey:
            let (kind, bytes): (KeyKind, [UInt8]) = (try map.read(Field.keyKind), try map.read(Field.bytes))
            guard kind != .aes else { throw .outOfRange }
            guard bytes.count <= FormatLimits.maximumKeyBytes else { throw .limitExceeded }
            content = .publicKey(kind, bytes)
        case .sessionKey:
            let bytes: SecretBytes = try map.read(Field.bytes)
            guard bytes.count <= FormatLimits.maximumSessionKeyBytes else { throw .limitExceeded }
            content = .sessionKey(bytes)
        case .unknown, .aggregate: throw .outOfRange
        }
        if try map.has(Field.label) {
            label = try map.reader.readText(limit: FormatLimits.maximumLabelBytes)
        }
        keyID = try map.readIfPresent(Field.keyID)
        guard keyID?.count ?? 0 <= FormatLimits.maximumKeyIDBytes else { throw .limitExceeded }
        issuer = try map.readIfPresent(Field.issuer)
        guard issuer ?? 0 < UInt64(FormatLimits.maximumItems) else { throw .outOfRange }
        reader = try map.end()
    }
}
