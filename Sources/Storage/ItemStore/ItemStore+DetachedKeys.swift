import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing

/// The private keys of the enclave that have no row: the store seals them for its groups, and keeps nothing of them.
extension ItemStore {
    /// Has the custodian make a key, whose sealed bytes the calling program keeps.
    ///
    /// - Parameter item: the protection class and the constraints of the key, as of an item.
    /// - Returns: the bytes that the program keeps, and the public key.
    package func makeDetachedKey(
        _ item: NewItem, group: AccessGroup
    ) throws(KeychainError) -> (bytes: [UInt8], publicBytes: [UInt8]) {
        var context = try context(ofNew: item, group: group)
        context.keyCustody = .detached
        let (placed, content) = try sealer.makeKey(.generated(.ec, bits: Self.detachedKeyBits), at: context)
        guard let classKey = placed.secret.classKeyID else {
            throw KeychainError(.internalComponent, "the key custodian wrapped a key by none")
        }
        let wrapped = WrappedRowKey(classKeyID: classKey, wrapped: placed.secret.rowKey, context: placed.place)
        let key = DetachedKey(
            publicBytes: content.publicBytes, key: SealedKey(rowKey: wrapped, sealed: placed.secret.sealed))
        return (key.encoded(digests), key.publicBytes)
    }

    /// The public key of a key that a program has kept; available while the device is locked.
    ///
    /// - Parameter groups: the access groups whose keys the caller may use.
    /// - Throws: `errSecDecode` for bytes that are no key of this store, `errSecItemNotFound` for a key of another
    ///   program.
    package func publicBytes(ofDetachedKey bytes: [UInt8], groups: [AccessGroup]) throws(KeychainError) -> [UInt8] {
        try detachedKey(bytes, groups).publicBytes
    }

    /// Carries out a task with a kept key; see ``useKey(_:_:groups:authorise:use:)``.
    package func useDetachedKey(
        _ bytes: [UInt8], _ task: KeyTask, groups: [AccessGroup], authorise: RowAuthoriser = { _, _ in true },
        use: KeyUser = { _ in nil }
    ) throws(KeychainError) -> SecretBytes {
        let kept = try detachedKey(bytes, groups)
        let wrapped = kept.key.rowKey
        let secret = SealedSecret(
            classKey: Int64(wrapped.classKeyID), rowKey: wrapped.wrapped, sealed: kept.key.sealed)
        var title = AttributeSet()
        title[.label] = .text("a key that the program keeps")
        var rows = [
            OpenedRow(
                row: 0, context: kept.context, secretVersion: kept.context.version,
                encodedAttributes: EncodedAttributes(title), secret: secret)
        ]
        for operation in task.rowOperations { try self.authorise(&rows, operation, authorise) }
        guard let row = rows.first else { throw Self.notTheirs }
        guard case .secret(let result?) = try sealer.result(of: task, by: secret, of: row, for: use) else {
            throw KeychainError(.decode, "a key that its program kept does not open: it was made under other keys")
        }
        return result
    }

    private func detachedKey(_ bytes: [UInt8], _ groups: [AccessGroup]) throws(KeychainError) -> DetachedKey {
        let key = try DetachedKey(bytes, of: identifier, digests)
        guard groups.contains(where: { digests.group($0) == key.context.groupDigest }) else { throw Self.notTheirs }
        return key
    }

    private static let detachedKeyBits: UInt32 = 256

    private static var notTheirs: KeychainError {
        KeychainError(
            .itemNotFound, "the key was made by a program of another access group, and is of no use to this one")
    }
}
