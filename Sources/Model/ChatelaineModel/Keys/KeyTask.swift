import ChatelaineMemory

/// An operation with a private or symmetric key in the keychain, which results in bytes.
///
/// The algorithm has Apple's name. The process that holds the key interprets the name and checks that the data fit.
package enum KeyTask: Equatable, Sendable {
    case sign(algorithm: String, [UInt8])
    case decrypt(algorithm: String, [UInt8])
    /// - Parameters:
    ///   - with: the other party's public key, of the same kind.
    ///   - size: how many bytes to derive; 0 if the algorithm derives none.
    ///   - info: further input of the derivation.
    case agree(algorithm: String, with: [UInt8], size: UInt32, info: [UInt8])
    /// The external representation of the key itself.
    case export
    /// A symmetric key encrypts another one, whose bytes the caller has (RFC 3394).
    case wrap(SecretBytes)
    /// A symmetric key decrypts another one.
    case unwrap([UInt8])

    /// The most input of an operation: digests and blocks are far smaller, but messages can be signed as they are.
    package static let maximumInputBytes = 64 * 1024
    /// The most bytes of an algorithm's name; the longest of Apple's has 50.
    package static let maximumNameBytes = 128

    /// The operations that the constraints of the key all have to allow.
    ///
    /// Raw RSA serves signing and decryption alike, so that it needs both.
    package var operations: [AccessConstraints.Operation] {
        switch self {
        case .sign("algid:sign:RSA:raw", _): [.sign, .decapsulate]
        case .decrypt("algid:encrypt:RSA:raw", _): [.decapsulate, .sign]
        case .sign: [.sign]
        case .decrypt: [.decapsulate]
        case .agree: [.computeSharedSecret]
        case .export, .wrap, .unwrap: [.decrypt]
        }
    }

    /// Whether the task is one for a symmetric key.
    package var isOfSymmetricKey: Bool {
        switch self {
        case .wrap, .unwrap: true
        case .sign, .decrypt, .agree, .export: false
        }
    }

    /// Throws if the task exceeds its limits: a request comes over a socket.
    package func validate() throws(KeychainError) {
        let (name, count) =
            switch self {
            case .sign(let name, let data), .decrypt(let name, let data): (name, data.count)
            case .agree(let name, let other, _, let info): (name, other.count + info.count)
            case .export: ("", 0)
            case .wrap(let key): ("", key.count)
            case .unwrap(let data): ("", data.count)
            }
        guard name.utf8.count <= Self.maximumNameBytes else {
            throw KeychainError(.param, "an algorithm's name is longer than any that there is")
        }
        guard count <= Self.maximumInputBytes else {
            throw KeychainError(
                .param,
                "a key of the keychain takes \(Self.maximumInputBytes) bytes at once, and was given \(count): sign a digest of them"
            )
        }
    }
}

extension KeyTask: CBORValue {
    private enum Kind: UInt8, CBORValue {
        case sign = 1
        case decrypt = 2
        case agree = 3
        case export = 4
        case wrap = 5
        case unwrap = 6
    }

    private enum Field: UInt64, CBORField {
        case kind = 0
        case algorithm = 1
        case data = 2
        case size = 3
        case info = 4
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            switch self {
            case .sign(let algorithm, let data):
                $0.write(Field.kind, Kind.sign)
                $0.write(Field.algorithm, algorithm)
                $0.write(Field.data, data)
            case .decrypt(let algorithm, let data):
                $0.write(Field.kind, Kind.decrypt)
                $0.write(Field.algorithm, algorithm)
                $0.write(Field.data, data)
            case .agree(let algorithm, let other, let size, let info):
                $0.write(Field.kind, Kind.agree)
                $0.write(Field.algorithm, algorithm)
                $0.write(Field.data, other)
                $0.write(Field.size, size)
                $0.write(Field.info, info)
            case .export: $0.write(Field.kind, Kind.export)
            case .wrap(let key):
                $0.write(Field.kind, Kind.wrap)
                $0.write(Field.data, key)
            case .unwrap(let data):
                $0.write(Field.kind, Kind.unwrap)
                $0.write(Field.data, data)
            }
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        let kind: Kind = try map.read(Field.kind)
        switch kind {
        case .sign: self = .sign(algorithm: try map.read(Field.algorithm), try map.read(Field.data))
        case .decrypt: self = .decrypt(algorithm: try map.read(Field.algorithm), try map.read(Field.data))
        case .agree:
            let (algorithm, other): (String, [UInt8]) = (try map.read(Field.algorithm), try map.read(Field.data))
            let size: UInt32 = try map.read(Field.size)
            self = .agree(algorithm: algorithm, with: other, size: size, info: try map.read(Field.info))
        case .export: self = .export
        case .wrap: self = .wrap(try map.read(Field.data))
        case .unwrap: self = .unwrap(try map.read(Field.data))
        }
        reader = try map.end()
    }
}
