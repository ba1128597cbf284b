import ChatelaineMemory

/// The content of a CMS message, with its signers and recipients.
package struct CMSContent: Equatable, Sendable {
    /// The numbers are on the wire.
    package enum Kind: UInt8, CBORValue, CaseIterable, Sendable {
        case signed = 1
        case enveloped = 2
    }

    package var kind: Kind
    /// Nil if the message has certificates only, or is enveloped and was not opened.
    package var content: SecretBytes?
    /// The certificates in the message, in DER.
    package var certificates: [[UInt8]] = []
    package var signers: [CMSSigner] = []
    /// The recipients whose certificates were asked about.
    package var recipients: [CMSRecipient] = []

    package init(_ kind: Kind) { self.kind = kind }
}

/// The digests of CMS signatures and derivations that are accepted. The numbers are on the wire.
package enum CMSDigest: UInt8, CBORValue, CaseIterable, Sendable {
    case sha1 = 1
    case sha256 = 2
    case sha384 = 3
    case sha512 = 4

    /// The name of the digest in Apple's algorithms.
    package var name: String {
        switch self {
        case .sha1: "SHA1"
        case .sha256: "SHA256"
        case .sha384: "SHA384"
        case .sha512: "SHA512"
        }
    }
}

/// The alleged signer of a message; trust in the certificate is not evaluated.
package struct CMSSigner: Equatable, Sendable {
    /// The numbers are on the wire.
    package enum Status: UInt8, CBORValue, CaseIterable, Sendable {
        case good = 1
        /// The signature is not by this signer's key, or was changed.
        case badSignature = 2
        /// The content differs from the one that was signed.
        case digestMismatch = 3
        /// The signer's certificate is not available, so the signature cannot be checked.
        case noCertificate = 4
        /// The digest is not accepted.
        case unsupported = 5
        /// A part is missing or repeated.
        case malformed = 6
    }

    package var status: Status
    /// DER.
    package var certificate: [UInt8]?
    package var digest: CMSDigest?
    /// The time in seconds since 1970, as the signer claims it.
    package var signingTime: Int64?

    package init(
        _ status: Status, certificate: [UInt8]? = nil, digest: CMSDigest? = nil, signingTime: Int64? = nil
    ) {
        self.status = status
        self.certificate = certificate
        self.digest = digest
        self.signingTime = signingTime
    }
}

/// A recipient of an enveloped message, and the input for its private key.
package struct CMSRecipient: Equatable, Sendable {
    /// The numbers are on the wire.
    package enum Method: UInt8, CBORValue, CaseIterable, Sendable {
        case unsupported = 0
        /// RSA decrypts the content's key, with the padding of PKCS#1.
        case pkcs1 = 1
        case oaep = 2
        /// An agreed key is derived (X9.63), and unwraps the content's key.
        case agreement = 3
    }

    /// The index of the recipient in the message.
    package var number: UInt64
    /// The index of the recipient's certificate in the question.
    package var certificate: UInt64
    package var method: Method
    package var digest: CMSDigest?
    package var encrypted: [UInt8]
    /// The other party's public key of an agreement, in its external representation.
    package var publicKey: [UInt8] = []
    /// The input of an agreement's derivation, and the number of bytes to derive.
    package var info: [UInt8] = []
    package var keyBytes: UInt64 = 0

    package init(
        _ number: UInt64, certificate: UInt64, _ method: Method, digest: CMSDigest? = nil, encrypted: [UInt8]
    ) {
        self.number = number
        self.certificate = certificate
        self.method = method
        self.digest = digest
        self.encrypted = encrypted
    }
}

extension CMSContent: CBORValue {
    private enum Field: UInt64, CBORField {
        case kind = 1
        case content = 2
        case certificates = 3
        case signers = 4
        case recipients = 5
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.kind, kind)
            $0.write(Field.content, content)
            $0.writeArray(Field.certificates, certificates)
            $0.writeArray(Field.signers, signers)
            $0.writeArray(Field.recipients, recipients)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        kind = try map.read(Field.kind)
        content = try map.readIfPresent(Field.content)
        certificates = try map.readArray(Field.certificates, limit: CMSLimits.maximumCertificates)
        signers = try map.readArray(Field.signers, limit: CMSLimits.maximumSigners)
        recipients = try map.readArray(Field.recipients, limit: CMSLimits.maximumRecipients)
        guard certificates.allSatisfy({ $0.count <= FormatLimits.maximumCertificateBytes }) else {
            throw .limitExceeded
        }
        reader = try map.end()
    }
}

extension CMSSigner: CBORValue {
    private enum Field: UInt64, CBORField {
        case status = 1
        case certificate = 2
        case digest = 3
        case signingTime = 4
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.status, status)
            $0.write(Field.certificate, certificate)
            $0.write(Field.digest, digest)
            $0.write(Field.signingTime, signingTime)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        self.init(
            try map.read(Field.status), certificate: try map.readIfPresent(Field.certificate),
            digest: try map.readIfPresent(Field.digest), signingTime: try map.readIfPresent(Field.signingTime))
        guard certificate?.count ?? 0 <= FormatLimits.maximumCertificateBytes else { throw .limitExceeded }
        reader = try map.end()
    }
}

extension CMSRecipient: CBORValue {
    private enum Field: UInt64, CBORField {
        case number = 1
        case certificate = 2
        case method = 3
        case digest = 4
        case encrypted = 5
        case publicKey = 6
        case info = 7
        case keyBytes = 8
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.number, number)
            $0.write(Field.certificate, certificate)
            $0.write(Field.method, method)
            $0.write(Field.digest, digest)
            $0.write(Field.encrypted, encrypted)
            $0.write(Field.publicKey, publicKey)
            $0.write(Field.info, info)
            $0.write(Field.keyBytes, keyBytes)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        number = try map.read(Field.number)
        certificate = try map.read(Field.certificate)
        method = try map.read(Field.method)
        digest = try map.readIfPresent(Field.digest)
        encrypted = try map.read(Field.encrypted)
        publicKey = try map.read(Field.publicKey)
        info = try map.read(Field.info)
        keyBytes = try map.read(Field.keyBytes)
        guard [encrypted, publicKey, info].allSatisfy({ $0.count <= CMSLimits.maximumRecipientBytes }),
            keyBytes <= UInt64(CMSLimits.maximumKeyBytes)
        else { throw .limitExceeded }
        reader = try map.end()
    }
}
