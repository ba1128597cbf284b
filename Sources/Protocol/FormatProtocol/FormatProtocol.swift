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
}

/// What formatd answers.
package enum FormatReply: Equatable, Sendable {
    case content(ExternalContent)
    /// A file; there may be private keys in it, in the open.
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
}

extension FormatRequest: CBORValue {
    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.version, FormatWire.version)
            switch self {
            case .read(let file): $0.write(Field.file, file)
            case .write(let order): $0.write(Field.order, order)
            }
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        guard try map.read(Field.version) == FormatWire.version else { throw .outOfRange }
        if let file: ExternalFile = try map.readIfPresent(Field.file) {
            self = .read(file)
        } else {
            self = .write(try map.read(Field.order))
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
        } else {
            self = .failure(try map.read(Field.failure))
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
