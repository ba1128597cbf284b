import ChatelaineMemory
import ChatelaineModel

/// The messages between securityd and formatd, which reads and writes files of keys and certificates
/// (`Documentation/formats/format-protocol.md`).
///
/// securityd sends one ``FormatRequest``; formatd answers with one ``FormatReply`` and ends. The messages contain
/// private keys and passphrases.
package enum FormatProtocol {}

/// Sizes of the protocol. Both ends come from one build, so there is no negotiation.
package enum FormatWire {
    package static let version: UInt64 = 2
    /// The most workers of formatd at one time, each with one file and 256 MiB at most.
    package static let maximumWorkers = 4
    /// A file and the other fields of a request.
    package static let maximumRequestBytes = FormatLimits.maximumFileBytes + 8 * 1024
    /// The content of a file with the public key of each certificate; or a file, which as text is a third longer.
    package static let maximumReplyBytes = 2 * FormatLimits.maximumFileBytes
}

/// A request to formatd.
package enum FormatRequest: Equatable, Sendable {
    case read(ExternalFile)
    case write(ExternalOrder)
    case readMessage(CMSMessage)
    case writeMessage(CMSOrder)
}

/// A reply of formatd.
package enum FormatReply: Equatable, Sendable {
    case content(ExternalContent)
    case message(CMSContent)
    /// A file, which may contain unencrypted private keys; for a message without its signature, the bytes to be signed.
    case file(SecretBytes)
    case failure(FormatFailure)
}

// MARK: On the wire

private enum Field: UInt64, CBORField {
    case version = 0
    case file = 1
    case order = 2
    case content = 3
    case failure = 4
    case message = 5
    case messageOrder = 6
}

extension FormatRequest: CBORValue {
    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.version, FormatWire.version)
            switch self {
            case .read(let file): $0.write(Field.file, file)
            case .write(let order): $0.write(Field.order, order)
            case .readMessage(let message): $0.write(Field.message, message)
            case .writeMessage(let order): $0.write(Field.messageOrder, order)
            }
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        guard try map.read(Field.version) == FormatWire.version else { throw .outOfRange }
        if let file: ExternalFile = try map.readIfPresent(Field.file) {
            self = .read(file)
        } else if let order: ExternalOrder = try map.readIfPresent(Field.order) {
            self = .write(order)
        } else if let message: CMSMessage = try map.readIfPresent(Field.message) {
            self = .readMessage(message)
        } else {
            self = .writeMessage(try map.read(Field.messageOrder))
        }
        reader = try map.end()
    }

    /// Reads the request that is the whole of a frame.
    package init(frame: UnsafeRawBufferPointer) throws(CBORError) {
        var reader = CBORReader(frame)
        try self.init(from: &reader)
        try reader.finish()
    }
}

extension FormatReply: CBORValue {
    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.version, FormatWire.version)
            switch self {
            case .file(let file): $0.write(Field.file, file)
            case .content(let content): $0.write(Field.content, content)
            case .message(let content): $0.write(Field.message, content)
            case .failure(let failure): $0.write(Field.failure, failure)
            }
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        guard try map.read(Field.version) == FormatWire.version else { throw .outOfRange }
        if let file: SecretBytes = try map.readIfPresent(Field.file) {
            self = .file(file)
        } else if let content: ExternalContent = try map.readIfPresent(Field.content) {
            self = .content(content)
        } else if let failure: FormatFailure = try map.readIfPresent(Field.failure) {
            self = .failure(failure)
        } else {
            self = .message(try map.read(Field.message))
        }
        reader = try map.end()
    }

    /// Reads the reply that is the whole of a frame.
    package init(frame: UnsafeRawBufferPointer) throws(CBORError) {
        var reader = CBORReader(frame)
        try self.init(from: &reader)
        try reader.finish()
    }
}
