import ChatelaineCryptography
import ChatelaineMemory
import ChatelaineModel
import Sealing

/// A key that a worker calculates with.
enum WorkerKey {
    case ofPair(CryptographicKey)
    case symmetric(SymmetricKey)

    /// The external representation.
    fileprivate func representation() throws(KeychainError) -> SecretBytes {
        switch self {
        case .ofPair(let key): try key.privateRepresentation()
        case .symmetric(let key): key.bytes
        }
    }
}

/// The sealed content of a private or symmetric key: its kind in one byte, and its external representation.
///
/// The kind is sealed too, so that nobody can use the same numbers as a key of another kind.
struct SealedKeyContent {
    let kind: KeyKind
    let key: WorkerKey

    init(_ key: CryptographicKey) { (kind, self.key) = (key.kind, .ofPair(key)) }

    init(_ key: SymmetricKey) { (kind, self.key) = (.aes, .symmetric(key)) }

    /// - Throws: the cause `unsealable` if `sealed` was not sealed for this place, or contains no key.
    init(
        opening sealed: [UInt8], at row: RowContext, with rowKey: SecretBytes
    ) throws(KeychainError) {
        try self.init(of: try Self.bytes(opening: sealed, at: row, with: rowKey))
    }

    /// - Throws: the cause `unsealable` if `sealed` was not sealed for this place.
    static func bytes(
        opening sealed: [UInt8], at row: RowContext, with rowKey: SecretBytes
    ) throws(KeychainError) -> SecretBytes {
        let sealing = try SealingKey(rowKey)
        return try sealed.withUnsafeBytes { bytes in
            Result { () throws(KeychainError) in try sealing.open(bytes, as: .secret, keyID: 0, at: row) }
        }.get()
    }

    /// - Throws: the cause `unsealable` if the content names no kind of key; `errSecNotAvailable` if libcrypto rejects
    ///   the key. The seal was valid, so the bytes are the written ones: a rejection here does not show that the key is
    ///   damaged.
    init(of content: SecretBytes) throws(KeychainError) {
        let key = content.withUnsafeBytes { bytes -> Result<SealedKeyContent, KeychainError> in
            guard let first = bytes.first, let kind = KeyKind(rawValue: first) else { return .failure(Self.noKey) }
            let representation = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
            return Result { () throws(KeychainError) in
                guard kind == .aes else {
                    return SealedKeyContent(try CryptographicKey(kind, unsealed: representation))
                }
                return SealedKeyContent(try SymmetricKey(SecretBytes(copying: representation)))
            }
        }
        switch key {
        case .success(let content): self = content
        case .failure(let error) where error.status == .param:
            throw KeychainError(
                .notAvailable,
                "libcrypto does not calculate with this private key, which is whole: it may lack memory, or refuse keys of this kind or size"
            )
        case .failure(let error): throw error
        }
    }

    private static var noKey: KeychainError { KeychainError(cause: .unsealable, "a sealed private key is none") }

    /// - Throws: `errSecAllocate`.
    func sealed(at row: RowContext, with rowKey: SecretBytes) throws(KeychainError) -> [UInt8] {
        let representation = try key.representation()
        let content = SecretBytes(count: 1 + representation.count) { content in
            content[0] = kind.rawValue
            representation.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(rebasing: content[1...]).copyMemory(from: $0)
            }
        }
        return try SealingKey(rowKey).seal(content, as: .secret, keyID: 0, at: row)
    }
}
