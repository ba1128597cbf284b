import ChatelaineMemory
import ChatelaineModel
import Sealing

/// A request of the key custodian to a key worker, which has no keys but those in the request
/// (`Documentation/formats/key-worker-protocol.md`).
package enum KeyWorkerRequest: Sendable {
    /// Makes or reads a private or symmetric key, and seals it for its row; ``KeyWorkerReply/made(_:_:)``.
    ///
    /// `errSecParam` for what is no such key.
    case make(KeyWorkerSource, at: RowContext, rowKey: SecretBytes)
    /// Uses a sealed private or symmetric key; ``KeyWorkerReply/result(_:)``.
    ///
    /// The cause is `unsealable` where the key does not open; `errSecParam` and `errSecDecode` as for a key in memory.
    case use(KeyTask, sealed: [UInt8], at: RowContext, rowKey: SecretBytes)
}

/// The source of a private key, as the worker gets it.
package enum KeyWorkerSource: Sendable {
    case generated(KeyKind, bits: UInt32)
    case brought(KeyKind, SecretBytes)
    /// The key opens at that place, and is sealed again for the new one.
    case kept(sealed: [UInt8], at: RowContext, rowKey: SecretBytes)
}

package enum KeyWorkerReply: Sendable {
    case made(sealed: [UInt8], KeyContent)
    case result(SecretBytes)
    case failure(KeychainError)
}

package enum KeyWorkerWire {
    package static let version: UInt64 = 1
    /// The largest key, the longest message, two places and the row keys.
    package static let maximumFrameBytes = 256 * 1024
    /// The most workers at one time. More than the processors would only wait for these, but a few may make RSA keys
    /// for seconds.
    package static let maximumWorkers = 6
    /// The most workers that make RSA keys, so that the others stay free for short requests.
    package static let maximumMakers = 2
    /// How long anything but making an RSA key may take, in seconds; a use of the largest RSA key takes a hundredth of
    /// a second.
    package static let patienceSeconds = 10
    /// How long making an RSA key may take, in seconds: one of 8192 bits takes ten seconds, and sometimes five times as
    /// long.
    package static let makingSeconds = 180
}

// MARK: Encoding

extension KeyWorkerRequest {
    private enum Field: UInt64, CBORField {
        case rowKey = 0
        case context = 1
        case task = 2
        case sealed = 3
        case kind = 4
        case bits = 5
        case representation = 6
        case formerKey = 7
        case formerContext = 8
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            switch self {
            case .use(let task, let sealed, let context, let rowKey):
                $0.write(Field.rowKey, rowKey)
                $0.write(Field.context, context)
                $0.write(Field.task, task)
                $0.write(Field.sealed, sealed)
            case .make(let source, let context, let rowKey):
                $0.write(Field.rowKey, rowKey)
                $0.write(Field.context, context)
                switch source {
                case .generated(let kind, let bits):
                    $0.write(Field.kind, kind)
                    $0.write(Field.bits, bits)
                case .brought(let kind, let representation):
                    $0.write(Field.kind, kind)
                    $0.write(Field.representation, representation)
                case .kept(let sealed, let former, let formerKey):
                    $0.write(Field.sealed, sealed)
                    $0.write(Field.formerKey, formerKey)
                    $0.write(Field.formerContext, former)
                }
            }
        }
    }

    /// Reads exactly one message; anything else is refused.
    package init(frame: UnsafeRawBufferPointer) throws(CBORError) {
        var map = try CBORMap(CBORReader(frame))
        try map.find(Field.rowKey)
        let rowKey = try map.reader.readKeyBytes()
        let context: RowContext = try map.read(Field.context)
        if let task: KeyTask = try map.readIfPresent(Field.task) {
            self = .use(task, sealed: try map.read(Field.sealed), at: context, rowKey: rowKey)
        } else {
            self = .make(try Self.source(&map), at: context, rowKey: rowKey)
        }
        try map.end().finish()
    }

    private static func source(_ map: inout CBORMap) throws(CBORError) -> KeyWorkerSource {
        if let sealed: [UInt8] = try map.readIfPresent(Field.sealed) {
            try map.find(Field.formerKey)
            let formerKey = try map.reader.readKeyBytes()
            return .kept(sealed: sealed, at: try map.read(Field.formerContext), rowKey: formerKey)
        }
        let kind: KeyKind = try map.read(Field.kind)
        if let bits: UInt32 = try map.readIfPresent(Field.bits) { return .generated(kind, bits: bits) }
        return .brought(kind, try map.read(Field.representation))
    }
}

extension KeyWorkerReply {
    private enum Field: UInt64, FailureFields {
        case sealed = 0
        case content = 1
        case result = 2
        case status = 3
        case reason = 4
        case cause = 5
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            switch self {
            case .made(let sealed, let content):
                $0.write(Field.sealed, sealed)
                $0.write(Field.content, content)
            case .result(let bytes): $0.write(Field.result, bytes)
            case .failure(let error): error.encodeFields(Field.self, to: &$0)
            }
        }
    }

    /// Reads exactly one message; anything else is refused.
    package init(frame: UnsafeRawBufferPointer) throws(CBORError) {
        var map = try CBORMap(CBORReader(frame))
        if let sealed: [UInt8] = try map.readIfPresent(Field.sealed) {
            self = .made(sealed: sealed, try map.read(Field.content))
        } else if let bytes: SecretBytes = try map.readIfPresent(Field.result) {
            self = .result(bytes)
        } else {
            self = .failure(try KeychainError(Field.self, fields: &map))
        }
        try map.end().finish()
    }
}
