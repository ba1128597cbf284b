import ChatelaineMemory

/// A CMS message to make; the process that makes it has no private key.
package struct CMSOrder: Equatable, Sendable {
    package enum Work: Equatable, Sendable {
        /// Without a signature, the result is the bytes to sign.
        case sign(CMSSigning)
        /// The certificates (DER) of the recipients.
        case envelop([[UInt8]])
    }

    package var content: SecretBytes
    package var work: Work

    package init(_ content: SecretBytes, _ work: Work) {
        self.content = content
        self.work = work
    }

    /// The bytes of all parts.
    package var byteCount: Int {
        switch work {
        case .envelop(let certificates): content.count + certificates.reduce(0) { $0 + $1.count }
        case .sign(let signing):
            content.count + signing.certificate.count + signing.others.reduce(0) { $0 + $1.count }
                + (signing.preference?.count ?? 0)
        }
    }
}

/// The signer of a message, and what the signature covers in addition to the content.
package struct CMSSigning: Equatable, Sendable {
    /// The certificate of the signing key, in DER.
    package var certificate: [UInt8]
    /// Further certificates to include.
    package var others: [[UInt8]] = []
    package var digest: CMSDigest
    /// Whether the message omits the content.
    package var isDetached = false
    /// The time in seconds since 1970; nil to omit it.
    package var signingTime: Int64?
    /// Whether the message lists the algorithms in which the signer can receive messages.
    package var hasCapabilities = false
    /// The certificate for which answers are to be encrypted.
    package var preference: [UInt8]?
    package var signature: [UInt8]?

    package init(_ certificate: [UInt8], _ digest: CMSDigest) {
        self.certificate = certificate
        self.digest = digest
    }
}

extension CMSOrder: CBORValue {
    private enum Field: UInt64, CBORField {
        case content = 1
        case signing = 2
        case recipients = 3
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.content, content)
            switch work {
            case .sign(let signing): $0.write(Field.signing, signing)
            case .envelop(let certificates): $0.writeArray(Field.recipients, certificates)
            }
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        content = try map.read(Field.content)
        if let signing: CMSSigning = try map.readIfPresent(Field.signing) {
            work = .sign(signing)
        } else {
            work = .envelop(try map.readArray(Field.recipients, limit: CMSLimits.maximumCertificates))
        }
        guard byteCount <= FormatLimits.maximumFileBytes else { throw .limitExceeded }
        reader = try map.end()
    }
}

extension CMSSigning: CBORValue {
    private enum Field: UInt64, CBORField {
        case certificate = 1
        case others = 2
        case digest = 3
        case isDetached = 4
        case signingTime = 5
        case hasCapabilities = 6
        case preference = 7
        case signature = 8
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.certificate, certificate)
            $0.writeArray(Field.others, others)
            $0.write(Field.digest, digest)
            $0.write(Field.isDetached, isDetached)
            $0.write(Field.signingTime, signingTime)
            $0.write(Field.hasCapabilities, hasCapabilities)
            $0.write(Field.preference, preference)
            $0.write(Field.signature, signature)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        certificate = try map.read(Field.certificate)
        others = try map.readArray(Field.others, limit: CMSLimits.maximumCertificates)
        digest = try map.read(Field.digest)
        isDetached = try map.read(Field.isDetached)
        signingTime = try map.readIfPresent(Field.signingTime)
        hasCapabilities = try map.read(Field.hasCapabilities)
        preference = try map.readIfPresent(Field.preference)
        signature = try map.readIfPresent(Field.signature)
        guard signature?.count ?? 0 <= CMSLimits.maximumSignatureBytes else { throw .limitExceeded }
        reader = try map.end()
    }
}
