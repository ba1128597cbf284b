import ChatelaineCryptography
import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing

/// Carries out one request of a key worker.
///
/// The result depends on the request alone; a kept key only makes it faster.
package enum KeyWork {
    /// Loads libcrypto, which needs files, so it must be called before the process enters its sandbox.
    ///
    /// - Throws: `errSecNotAvailable` if it cannot be loaded.
    package static func prepare() throws(KeychainError) {
        // Making a key initialises everything that libcrypto initialises late.
        _ = try CryptographicKey.generate(.ec, bits: 256)
        _ = try KeyDigest.sha1.digest(of: UnsafeRawBufferPointer(start: nil, count: 0))
        for bits in SymmetricKey.sizes {
            let key = try SymmetricKey.generate(bits: bits)
            _ = try key.unwrapped(try key.wrapped(key))
        }
    }

    package static func answer(_ request: KeyWorkerRequest, _ recent: inout RecentKey) -> KeyWorkerReply {
        do throws(KeychainError) {
            switch request {
            case .make(let source, let context, let rowKey):
                recent.forget()
                return try make(source, at: context, rowKey)
            case .use(let task, let sealed, let context, let rowKey):
                switch try recent.key(opening: sealed, at: context, with: rowKey) {
                case .ofPair(let key): return .result(try result(of: task, by: key))
                case .symmetric(let key): return .result(try result(of: task, by: key))
                }
            }
        } catch {
            return .failure(error)
        }
    }

    private static func make(
        _ source: KeyWorkerSource, at context: RowContext, _ rowKey: SecretBytes
    ) throws(KeychainError) -> KeyWorkerReply {
        let content: SealedKeyContent
        switch source {
        case .generated(.aes, let bits): content = SealedKeyContent(try SymmetricKey.generate(bits: Int(bits)))
        case .generated(let kind, let bits):
            content = SealedKeyContent(
                try CryptographicKey.generate(kind, bits: Int(bits)))
        case .brought(.aes, let bytes): content = SealedKeyContent(try SymmetricKey(bytes))
        case .brought(let kind, let representation):
            content = SealedKeyContent(
                try representation.withUnsafeBytes { bytes in
                    Result { () throws(KeychainError) in
                        try CryptographicKey(kind, isPrivate: true, representation: bytes)
                    }
                }.get())
        case .kept(let sealed, let former, let formerKey):
            content = try SealedKeyContent(opening: sealed, at: former, with: formerKey)
        }
        guard (content.kind == .aes) == (context.keyCustody == .symmetric) else {
            throw KeychainError(.param, "the row is for another kind of key than this one")
        }
        return .made(
            sealed: try content.sealed(at: context, with: rowKey), try KeyContent(of: content.key))
    }

    private static func result(of task: KeyTask, by key: SymmetricKey) throws(KeychainError) -> SecretBytes {
        switch task {
        case .wrap(let other): return SecretBytes(try key.wrapped(try SymmetricKey(other)))
        case .unwrap(let wrapped): return try key.unwrapped(wrapped).bytes
        case .sign, .decrypt, .agree, .export:
            throw KeychainError(.param, "a symmetric key of the keychain wraps and unwraps keys, and does nothing else")
        }
    }

    private static func result(of task: KeyTask, by key: CryptographicKey) throws(KeychainError) -> SecretBytes {
        switch task {
        case .sign(let name, let data):
            let algorithm = try algorithm(name)
            return SecretBytes(
                try data.withUnsafeBytes { data in
                    Result { () throws(KeychainError) in try key.signature(of: data, by: algorithm) }
                }.get())
        case .decrypt(let name, let data):
            let algorithm = try algorithm(name)
            return try data.withUnsafeBytes { data in
                Result { () throws(KeychainError) in try key.decrypted(data, by: algorithm) }
            }.get()
        case .agree(let name, let other, let size, let info):
            let algorithm = try algorithm(name)
            let peer = try CryptographicKey(key.kind, publicRepresentation: other)
            return try key.secret(with: peer, by: algorithm, size: Int(size), info: info)
        case .export: return try key.privateRepresentation()
        case .wrap, .unwrap: throw KeychainError(.param, "a private key wraps no keys: symmetric keys do")
        }
    }

    private static func algorithm(_ name: String) throws(KeychainError) -> KeyAlgorithm {
        guard let algorithm = KeyAlgorithm(name: name) else {
            throw KeychainError(.param, "there is no such algorithm: SecKeyAlgorithm has them")
        }
        return algorithm
    }
}

extension KeyContent {
    init(of key: WorkerKey) throws(KeychainError) {
        switch key {
        case .ofPair(let key): try self.init(of: key)
        // A symmetric key has no public bytes, and no label follows from it.
        case .symmetric(let key):
            self.init(kind: .aes, bits: UInt32(clamping: key.bits), publicBytes: [], label: [])
        }
    }

    private init(of key: CryptographicKey) throws(KeychainError) {
        let publicBytes = try key.publicRepresentation()
        let label = try publicBytes.withUnsafeBytes { bytes in
            Result { () throws(KeychainError) in try KeyDigest.sha1.digest(of: bytes) }
        }.get()
        self.init(kind: key.kind, bits: UInt32(clamping: key.bits), publicBytes: publicBytes, label: label)
    }
}
