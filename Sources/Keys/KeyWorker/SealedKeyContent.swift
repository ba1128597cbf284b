import ChatelaineCryptography
import ChatelaineMemory
import ChatelaineModel
import Sealing

/// What the seal over a private key holds: its kind in one byte, and its external representation.
///
/// The kind is in there so that nobody has the same numbers calculated with as a key of another kind.
struct SealedKeyContent {
    let kind: KeyKind
    let key: CryptographicKey

    init(_ key: CryptographicKey) { (kind, self.key) = (key.kind, key) }

    /// - Throws: the cause `unsealable` for what is not sealed for this place, and for what holds no key.
    init(
        opening sealed: [UInt8], at row: RowContext, with rowKey: SecretBytes
    ) throws(KeychainError) {
        try self.init(of: try Self.bytes(opening: sealed, at: row, with: rowKey))
    }

    /// - Throws: the cause `unsealable` for what is not sealed for this place.
    static func bytes(
        opening sealed: [UInt8], at row: RowContext, with rowKey: SecretBytes
    ) throws(KeychainError) -> SecretBytes {
        let sealing = try SealingKey(rowKey)
        return try sealed.withUnsafeBytes { bytes in
            Result { () throws(KeychainError) in try sealing.open(bytes, as: .secret, keyID: 0, at: row) }
        }.get()
    }

    /// - Throws: the cause `unsealable` for what names no kind of key; `errSecNotAvailable` where libcrypto does not take it. Its seal was good, so the bytes are
    ///   those that were written: not to be able to calculate with them here is no reason to believe that the key is damaged.
    init(of content: SecretBytes) throws(KeychainError) {
        let key = content.withUnsafeBytes { bytes -> Result<CryptographicKey, KeychainError> in
            guard let first = bytes.first, let kind = KeyKind(rawValue: first) else { return .failure(Self.noKey) }
            return Result { () throws(KeychainError) in
                try CryptographicKey(kind, unsealed: UnsafeRawBufferPointer(rebasing: bytes.dropFirst()))
            }
        }
        switch key {
        case .success(let key): self.init(key)
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
        let representation = try key.privateRepresentation()
        let content = SecretBytes(count: 1 + representation.count) { content in
            content[0] = kind.rawValue
            representation.withUnsafeBytes {
                UnsafeMutableRawBufferPointer(rebasing: content[1...]).copyMemory(from: $0)
            }
        }
        return try SealingKey(rowKey).seal(content, as: .secret, keyID: 0, at: row)
    }
}
