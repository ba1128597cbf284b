import ChatelaineMemory

/// A message of CMS (RFC 5652) that others made, to be read.
package struct CMSMessage: Equatable, Sendable {
    package var bytes: SecretBytes
    /// What was signed, where the message has it not in itself.
    package var content: SecretBytes?
    /// Certificates (DER) of those who may have signed it, or for whom it may be; others are not told as recipients.
    package var certificates: [[UInt8]]
    /// What opens an enveloped message; nil as long as nobody knows whose key does.
    package var key: CMSKey?

    package init(
        _ bytes: SecretBytes, content: SecretBytes? = nil, certificates: [[UInt8]] = [], key: CMSKey? = nil
    ) {
        self.bytes = bytes
        self.content = content
        self.certificates = certificates
        self.key = key
    }

    /// All of it together.
    package var byteCount: Int {
        bytes.count + (content?.count ?? 0) + certificates.reduce(0) { $0 + $1.count } + (key?.bytes.count ?? 0)
    }
}

/// What the private key of a recipient made of what ``CMSRecipient`` says.
package struct CMSKey: Equatable, Sendable {
    /// The number of the recipient in its message.
    package var recipient: UInt64
    package var bytes: SecretBytes

    package init(of recipient: UInt64, _ bytes: SecretBytes) {
        self.recipient = recipient
        self.bytes = bytes
    }
}

extension CMSMessage: CBORValue {
    private enum Field: UInt64, CBORField {
        case bytes = 1
        case content = 2
        case certificates = 3
        case key = 4
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.bytes, bytes)
            $0.write(Field.content, content)
            $0.writeArray(Field.certificates, certificates)
            $0.write(Field.key, key)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        bytes = try map.read(Field.bytes)
        content = try map.readIfPresent(Field.content)
        certificates = try map.readArray(Field.certificates, limit: CMSLimits.maximumCertificates)
        key = try map.readIfPresent(Field.key)
        guard byteCount <= FormatLimits.maximumFileBytes else { throw .limitExceeded }
        reader = try map.end()
    }
}

extension CMSKey: CBORValue {
    private enum Field: UInt64, CBORField {
        case recipient = 1
        case bytes = 2
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.recipient, recipient)
            $0.write(Field.bytes, bytes)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        recipient = try map.read(Field.recipient)
        bytes = try map.read(Field.bytes)
        guard bytes.count <= CMSLimits.maximumKeyBytes else { throw .limitExceeded }
        reader = try map.end()
    }
}

/// Bounds of messages of CMS; a message and all that goes with it have ``FormatLimits/maximumFileBytes`` together.
package enum CMSLimits {
    /// Certificates of one question, and those in a message.
    package static let maximumCertificates = 1024
    /// Signers of a message: two are many.
    package static let maximumSigners = 64
    /// Recipients that have one of the certificates that were asked about.
    package static let maximumRecipients = 1024
    /// What a private key makes of what a message has for it, in bytes: the largest that is any key has 64.
    package static let maximumKeyBytes = 1024
    /// What a message has for one recipient, each part: 8192 bits of RSA are an eighth of it.
    package static let maximumRecipientBytes = 8192
    /// A signature: twice the largest of RSA.
    package static let maximumSignatureBytes = 2048
}
