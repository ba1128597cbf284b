/// What is done with a private key that the keychain has. What comes of it is bytes.
///
/// An algorithm has Apple's name; whoever has the key says what it means, and that the data fit it.
package enum KeyTask: Hashable, Sendable {
    case sign(algorithm: String, [UInt8])
    case decrypt(algorithm: String, [UInt8])
    /// - Parameters:
    ///   - with: the other's public key, of the same kind.
    ///   - size: how many bytes are derived; 0 where none are.
    ///   - info: what goes into these besides.
    case agree(algorithm: String, with: [UInt8], size: UInt32, info: [UInt8])
    /// The external representation of the key itself.
    case export

    /// Digests and blocks are far smaller; this is for messages that are signed as they are.
    package static let maximumInputBytes = 64 * 1024
    /// The longest of Apple's names has 50.
    package static let maximumNameBytes = 128

    /// What the constraints of the key have to allow, all of it.
    ///
    /// RSA without a filling is both of its operations at once: who has one of them has the other.
    package var operations: [AccessConstraints.Operation] {
        switch self {
        case .sign("algid:sign:RSA:raw", _): [.sign, .decapsulate]
        case .decrypt("algid:encrypt:RSA:raw", _): [.decapsulate, .sign]
        case .sign: [.sign]
        case .decrypt: [.decapsulate]
        case .agree: [.computeSharedSecret]
        case .export: [.decrypt]
        }
    }

    /// Holds to the limits what came over a socket.
    package func validate() throws(KeychainError) {
        let (name, count) =
            switch self {
            case .sign(let name, let data), .decrypt(let name, let data): (name, data.count)
            case .agree(let name, let other, _, let info): (name, other.count + info.count)
            case .export: ("", 0)
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
            }
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        let kind: Kind = try map.read(Field.kind)
        if kind == .export {
            self = .export
        } else {
            let algorithm: String = try map.read(Field.algorithm)
            let data: [UInt8] = try map.read(Field.data)
            switch kind {
            case .sign: self = .sign(algorithm: algorithm, data)
            case .decrypt: self = .decrypt(algorithm: algorithm, data)
            case .agree, .export:
                let size: UInt32 = try map.read(Field.size)
                self = .agree(algorithm: algorithm, with: data, size: size, info: try map.read(Field.info))
            }
        }
        reader = try map.end()
    }
}
