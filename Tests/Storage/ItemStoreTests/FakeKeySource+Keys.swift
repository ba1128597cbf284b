import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing

/// Private keys that are sealed and opened as real ones are, but never used in a calculation.
extension FakeKeySource {
    func makeKey(
        _ key: KeySource, at place: RowContext, for use: KeyUse?, in store: StoreIdentifier
    ) throws(KeychainError) -> MadeKey {
        let (kind, bytes): (KeyKind, SecretBytes)
        switch key {
        case .generated(let generated, _): (kind, bytes) = (generated, Self.random())
        case .brought(let brought, let representation): (kind, bytes) = (brought, representation)
        case .kept(let kept): (kind, bytes) = (.ec, try opened(kept, in: store))
        }
        guard let row = try createRowKeys([place], for: use, in: store).first else {
            throw KeychainError(.internalComponent, "no row key")
        }
        let sealed = try SealingKey(row.key).seal(
            bytes, as: .secret, keyID: place.secretKeyID(row.classKeyID), at: place)
        // Each key of a test gets its own public bytes, which are always the same.
        let start = bytes.withUnsafeBytes { [UInt8]($0.prefix(KeyContent.labelBytes)) }
        let publicBytes = start + [UInt8](repeating: 0, count: KeyContent.labelBytes - start.count)
        return MadeKey(
            classKeyID: row.classKeyID, wrapped: row.wrapped, sealed: sealed, constraints: place.constraints,
            content: KeyContent(kind: kind, bits: 256, publicBytes: publicBytes, label: publicBytes))
    }

    /// Every task returns the key's bytes.
    func useKey(
        _ key: SealedKey, _ task: KeyTask, for use: KeyUse?, in store: StoreIdentifier
    ) throws(KeychainError) -> SecretBytes { try opened(key, in: store) }

    private func opened(_ key: SealedKey, in store: StoreIdentifier) throws(KeychainError) -> SecretBytes {
        guard let rowKey = try openRowKeys([key.rowKey], for: nil, in: store).first else {
            throw KeychainError(.internalComponent, "no row key")
        }
        let (sealing, context) = (try SealingKey(try rowKey.get()), key.rowKey.context)
        return try key.sealed.withUnsafeBytes { bytes in
            Result { () throws(KeychainError) in
                try sealing.open(
                    bytes, as: .secret, keyID: context.secretKeyID(key.rowKey.classKeyID), at: context)
            }
        }.get()
    }
}
