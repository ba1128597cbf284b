import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing

/// The part of requests about rows with constraints that goes beyond wrapping and unwrapping keys.
extension Enclave {
    /// The most memory of one derivation from an application password, in KiB, because programs can request derivations
    /// without limit.
    private static let passwordMemory: UInt32 = 64 * 1024

    func setCredential(
        _ passcodes: [SecretBytes], isTyped: Bool, of context: ContextReference, in keybag: KeybagCustodian
    ) throws(KeychainError) {
        let password = passcodes.first.map { ApplicationPassword($0, isTyped: isTyped) }
        let set: Result<Void, KeychainError> = keybag.withState { state in
            Result { () throws(KeychainError) in try state.contexts.setPassword(password, of: context) }
        }
        try set.get()
    }

    /// The content that the class key wraps for a row: the row key, or the row key sealed under an application password
    /// if one is needed.
    func content(
        of rowKey: SecretBytes, at row: RowContext, for use: KeyUse?, _ keybag: KeybagCustodian
    ) throws(KeychainError) -> SecretBytes {
        guard row.constraints?.needsApplicationPassword == true else { return rowKey }
        let password = try password(of: use, keybag)
        let key = try stretched(password, password.salt, try passwordParameters(), for: use, keybag)
        if let use { keybag.withState { $0.contexts.noteUse(of: password, in: use.context) } }
        return try PasswordWrapping(rowKey, under: key, of: row).encoded
    }

    /// Releases the key of a row if its constraints are satisfied.
    ///
    /// `content` is what the class key unwrapped, so it is intact.
    func release(
        _ content: SecretBytes, at row: RowContext, under constraints: AccessConstraints, for use: KeyUse?,
        _ keybag: KeybagCustodian
    ) throws(KeychainError) -> SecretBytes {
        // Decoded before the constraints are checked, so that damage does not look like a refusal.
        let wrapping = constraints.needsApplicationPassword ? try PasswordWrapping(decoding: content) : nil
        try keybag.check(constraints, of: row, for: use, .decrypt)
        guard let wrapping else { return content }
        let password = try password(of: use, keybag)
        let key = try stretched(password, wrapping.salt, wrapping.parameters, for: use, keybag)
        do throws(KeychainError) {
            let rowKey = try wrapping.open(with: key, of: row)
            if let use { keybag.withState { $0.contexts.noteUse(of: password, in: use.context) } }
            return rowKey
        } catch {
            if let use { keybag.withState { $0.contexts.noteFailure(of: password, in: use.context) } }
            throw error
        }
    }

    private func password(of use: KeyUse?, _ keybag: KeybagCustodian) throws(KeychainError) -> ApplicationPassword {
        if let use, let password = keybag.withState({ $0.contexts.password(of: use.context) }) { return password }
        try AccessEvaluation.needs([.applicationPassword]).check()
        throw KeychainError(.internalComponent, "a missing password was no failure")
    }

    /// Derives a key, one at a time.
    ///
    /// It does not use the passcode's turn, so that no program makes the person wait.
    private func stretched(
        _ password: ApplicationPassword, _ salt: Bytes16, _ parameters: PasswordHash.Parameters, for use: KeyUse?,
        _ keybag: KeybagCustodian
    ) throws(KeychainError) -> StretchedPassword {
        if let key = password.key(salt, parameters) { return key }
        let hash = keybag.settings.passwordHash
        let root = try passwordTurn.withLock { _ throws(KeychainError) in
            try hash.derive(password.bytes, salt.array, parameters)
        }
        let key = StretchedPassword(salt: salt, parameters: parameters, root: root)
        if let use { keybag.withState { $0.contexts.keep(key, of: password, in: use.context) } }
        return key
    }

    /// The parameters of a derivation on this machine, measured once.
    private func passwordParameters() throws(KeychainError) -> PasswordHash.Parameters {
        try passwordTurn.withLock { turn throws(KeychainError) in
            if let parameters = turn.programs { return parameters }
            let calibrated = try settings.passwordHash.calibrated(upTo: Self.passwordMemory)
            turn.programs = calibrated
            return calibrated
        }
    }

    /// Wraps row keys with the current class keys.
    ///
    /// Their context stays, and so does a seal under an application password.
    func rewrapRowKeys(
        _ keys: [WrappedRowKey], _ custodian: some RowKeyCustodian
    ) throws(KeychainError) -> [RewrappedRowKey] {
        try checkBatch(keys.count)
        var last: WrappingKey?
        return keys.map { key in
            do throws(KeychainError) { return try rewrap(key, custodian, &last) } catch { return .failure(error) }
        }
    }

    private func rewrap(
        _ wrapped: WrappedRowKey, _ custodian: some RowKeyCustodian, _ last: inout WrappingKey?
    ) throws(KeychainError) -> RewrappedRowKey {
        let row = wrapped.context
        if row.constraints != nil { _ = try custodian.constraintKeybag }
        let content = try unwrap(wrapped, custodian, &last)
        let keys = try custodian.wrappingKeys(for: [row])
        guard let now = keys.first else { throw KeychainError(.internalComponent, "a row has no key to be wrapped by") }
        let context = SealContext(.rowKey, keyID: now.id, row: row)
        return .key(classKeyID: now.id, wrapped: try now.key.seal(content, for: context))
    }
}
