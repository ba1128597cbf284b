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
    }

    package static func answer(_ request: KeyWorkerRequest, _ recent: inout RecentKey) -> KeyWorkerReply {
        do throws(KeychainError) {
            switch request {
            case .make(let source, let context, let rowKey):
                recent.forget()
                return try make(source, at: context, rowKey)
            case .use(let task, let sealed, let context, let rowKey):
                let key = try recent.key(opening: sealed, at: context, with: rowKey)
                return .result(try result(of: task, by: key))
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
        case .generated(let kind, let bits):
            content = SealedKeyContent(
                try CryptographicKey.generate(kind, bits: Int(bits)))
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
        return .made(
            sealed: try content.sealed(at: context, with: rowKey), try KeyContent(of: content.key))
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
    init(of key: CryptographicKey) throws(KeychainError) {
        let publicBytes = try key.publicRepresentation()
        let label = try publicBytes.withUnsafeBytes { bytes in
            Result { () throws(KeychainError) in try KeyDigest.sha1.digest(of: bytes) }
        }.get()
        self.init(kind: key.kind, bits: UInt32(clamping: key.bits), publicBytes: publicBytes, label: label)
    }
}
