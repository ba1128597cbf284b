import ChatelaineMemory
import ChatelaineModel

/// What securityd and formatd, which reads and writes files of keys and certificates, say to each other (`Documentation/formats/format-protocol.md`).
///
/// securityd sends one ``FormatRequest``, formatd answers with one ``FormatReply`` and ends. Private keys and passphrases are in them.
package enum FormatProtocol {}

/// Sizes of the protocol. Both ends come from one build, so there is no negotiation.
package enum FormatWire {
    package static let version: UInt64 = 1
    /// A file and what stands around it.
    package static let maximumRequestBytes = FormatLimits.maximumFileBytes + 8 * 1024
    /// What was in a file, with the public key of each certificate beside it; or a file, which text makes longer by a third.
    package static let maximumReplyBytes = 2 * FormatLimits.maximumFileBytes
}

/// What formatd is asked.
package enum FormatRequest: Equatable, Sendable {
    case read(ExternalFile)
    case write(ExternalOrder)
    case readMessage(CMSMessage)
    case writeMessage(CMSOrder)
}

/// What formatd answers.
package enum FormatReply: Equatable, Sendable {
    case content(ExternalContent)
    case message(CMSContent)
    /// A file, in which there may be private keys in the open; of a message without its signature, what has to be signed.
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

    /// Reads one that is all of a frame.
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

    /// Reads one that is all of a frame.
    package init(frame: UnsafeRawBufferPointer) throws(CBORError) {
        var reader = CBORReader(frame)
        try self.init(from: &reader)
        try reader.finish()
    }
}
