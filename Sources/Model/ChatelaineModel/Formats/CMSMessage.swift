import ChatelaineMemory

/// A CMS message (RFC 5652) from outside, to be read.
package struct CMSMessage: Equatable, Sendable {
    package var bytes: SecretBytes
    /// The signed content, if the message does not contain it.
    package var content: SecretBytes?
    /// Certificates (DER) of possible signers and recipients; only recipients with one of these are returned.
    package var certificates: [[UInt8]]
    /// The key that opens an enveloped message; nil until the recipient's key was used.
    package var key: CMSKey?

    package init(
        _ bytes: SecretBytes, content: SecretBytes? = nil, certificates: [[UInt8]] = [], key: CMSKey? = nil
    ) {
        self.bytes = bytes
        self.content = content
        self.certificates = certificates
        self.key = key
    }

    /// The bytes of all parts.
    package var byteCount: Int {
        bytes.count + (content?.count ?? 0) + certificates.reduce(0) { $0 + $1.count } + (key?.bytes.count ?? 0)
    }
}

/// The result of a recipient's private key for the input in ``CMSRecipient``.
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

/// Limits of CMS messages; all parts together have at most ``FormatLimits/maximumFileBytes``.
package enum CMSLimits {
    /// Certificates of a question, and certificates in a message.
    package static let maximumCertificates = 1024
    /// Signers of a message; even two are rare.
    package static let maximumSigners = 64
    /// Recipients whose certificates were asked about.
    package static let maximumRecipients = 1024
    /// Bytes of a private key's result; the largest has 64.
    package static let maximumKeyBytes = 1024
    /// Bytes of each part for one recipient: eight times what RSA of 8192 bits takes.
    package static let maximumRecipientBytes = 8192
    /// Bytes of a signature: twice the largest of RSA.
    package static let maximumSignatureBytes = 2048
}
