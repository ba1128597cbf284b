import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing

/// Keys of rows: the part of the requests about them that is the same for keybags and file keychains.
extension Enclave {
    func createRowKeys(
        _ rows: [RowContext], for use: KeyUse?, _ custodian: some RowKeyCustodian
    ) throws(KeychainError) -> [NewRowKey] {
        try checkBatch(rows.count)
        var contexts = rows
        for (index, context) in rows.enumerated() {
            try checkStore(context, custodian)
            try checkIsGivenOut(context)
            guard let constraints = context.constraints else { continue }
            contexts[index].constraints = try custodian.constraintKeybag.bind(constraints, of: context, for: use)
        }
        try custodian.check(Set(rows.map(\.accessibility)))
        let wrappingKeys = try custodian.wrappingKeys(for: contexts)
        var keys: [NewRowKey] = []
        keys.reserveCapacity(contexts.count)
        for (context, wrapping) in zip(contexts, wrappingKeys) {
            let key = KeyDerivation.randomKey()
            var content = key
            if context.constraints != nil {
                content = try self.content(of: key, at: context, for: use, custodian.constraintKeybag)
            }
            let wrapped = try wrapping.key.seal(content, for: SealContext(.rowKey, keyID: wrapping.id, row: context))
            keys.append(
                NewRowKey(classKeyID: wrapping.id, key: key, wrapped: wrapped, constraints: context.constraints))
        }
        return keys
    }

    func openRowKeys(
        _ keys: [WrappedRowKey], for use: KeyUse?, _ custodian: some RowKeyCustodian
    ) throws(KeychainError) -> OpenedRowKeys {
        try checkBatch(keys.count)
        var last: WrappingKey?
        var opened = OpenedRowKeys.Builder(count: keys.count)
        for key in keys {
            opened.append { (buffer) throws(KeychainError) in
                try openRowKey(key, for: use, custodian, &last, into: &buffer)
            }
        }
        return opened.finish()
    }

    private func openRowKey(
        _ wrapped: WrappedRowKey, for use: KeyUse?, _ custodian: some RowKeyCustodian, _ last: inout WrappingKey?,
        into buffer: inout SecretBuffer
    ) throws(KeychainError) {
        try checkIsGivenOut(wrapped.context)
        guard let constraints = wrapped.context.constraints else {
            let wrapping = try wrappingKey(of: wrapped, custodian, &last)
            let opened: Result<Void, KeychainError> = wrapped.wrapped.withUnsafeBytes { sealed in
                Result { () throws(KeychainError) in
                    try wrapping.key.open(sealed, for: wrapped.seal, into: &buffer)
                }
            }
            return try opened.get()
        }
        let keybag = try custodian.constraintKeybag
        let content = try unwrap(wrapped, custodian, &last)
        let key = try release(content, at: wrapped.context, under: constraints, for: use, keybag)
        key.withUnsafeBytes { buffer.append($0) }
    }

    /// The content that the custodian wrapped: the row key, or the row key sealed under an application password.
    ///
    /// - Parameter last: the key that unwrapped the previous row key.
    func unwrap(
        _ wrapped: WrappedRowKey, _ custodian: some RowKeyCustodian, _ last: inout WrappingKey?
    ) throws(KeychainError) -> SecretBytes {
        let wrapping = try wrappingKey(of: wrapped, custodian, &last)
        return try wrapping.key.open(wrapped.wrapped, for: wrapped.seal)
    }

    private func wrappingKey(
        of wrapped: WrappedRowKey, _ custodian: some RowKeyCustodian, _ last: inout WrappingKey?
    ) throws(KeychainError) -> WrappingKey {
        try checkStore(wrapped.context, custodian)
        let wrapping = try custodian.wrappingKey(wrapped.classKeyID, of: wrapped.context, after: last)
        last = wrapping
        return wrapping
    }

    func checkLength(_ rowKey: SecretBytes) throws(KeychainError) -> SecretBytes {
        guard rowKey.count == Sealing.keyByteCount else {
            throw KeychainError(.decode, "a row key has \(rowKey.count) bytes instead of \(Sealing.keyByteCount)")
        }
        return rowKey
    }

    private func checkIsGivenOut(_ context: RowContext) throws(KeychainError) {
        guard context.keyCustody == nil else {
            throw KeychainError(.param, "the row key of a private key is given to nobody: the key is used here")
        }
    }

    func checkStore(_ context: RowContext, _ custodian: some RowKeyCustodian) throws(KeychainError) {
        guard context.store == custodian.store else {
            throw KeychainError(.param, "a row of another store than the one that is asked about")
        }
    }

    func checkBatch(_ count: Int) throws(KeychainError) {
        guard count <= EnclaveWire.maximumBatch else {
            throw KeychainError(.param, "\(count) row keys in one request; \(EnclaveWire.maximumBatch) are allowed")
        }
    }
}

extension WrappedRowKey {
    /// The context of the seal under which the row key is.
    fileprivate var seal: SealContext { SealContext(.rowKey, keyID: classKeyID, row: context) }
}
