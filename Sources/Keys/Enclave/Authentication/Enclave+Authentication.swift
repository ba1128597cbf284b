import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing

/// Rows with constraints: what the custodian does for them besides wrapping and unwrapping keys.
extension Enclave {
    /// Memory that one derivation from a program's password takes at the most, in KiB: programs ask for them as often as they like.
    private static let passwordMemory: UInt32 = 64 * 1024

    func setCredential(
        _ passcodes: [SecretBytes], of context: ContextReference, in keybag: KeybagCustodian
    ) throws(KeychainError) {
        let set: Result<Void, KeychainError> = keybag.withState { state in
            Result { () throws(KeychainError) in try state.contexts.setPassword(passcodes.first, of: context) }
        }
        try set.get()
    }

    /// What the class key wraps for a row: its key or, where a password of the program's is needed, that key under the password.
    func content(
        of rowKey: SecretBytes, at row: RowContext, for use: KeyUse?, _ keybag: KeybagCustodian
    ) throws(KeychainError) -> SecretBytes {
        guard row.constraints?.needsApplicationPassword == true else { return rowKey }
        let password = try password(of: use, keybag)
        let key = try stretched(password, password.salt, try passwordParameters(), for: use, keybag)
        return try PasswordWrapping(rowKey, under: key, of: row).encoded
    }

    /// The key of a row with constraints, where these are satisfied: from what its class key has unwrapped, which is whole.
    func release(
        _ content: SecretBytes, at row: RowContext, under constraints: AccessConstraints, for use: KeyUse?,
        _ keybag: KeybagCustodian
    ) throws(KeychainError) -> SecretBytes {
        // Before anybody hears whether they may use it: damage is not to look like a refusal.
        let wrapping = constraints.needsApplicationPassword ? try PasswordWrapping(decoding: content) : nil
        try keybag.check(constraints, of: row, for: use, .decrypt)
        guard let wrapping else { return content }
        let password = try password(of: use, keybag)
        return try wrapping.open(
            with: try stretched(password, wrapping.salt, wrapping.parameters, for: use, keybag), of: row)
    }

    private func password(of use: KeyUse?, _ keybag: KeybagCustodian) throws(KeychainError) -> ApplicationPassword {
        if let use, let password = keybag.withState({ $0.contexts.password(of: use.context) }) { return password }
        try AccessEvaluation.needs([.applicationPassword]).check()
        throw KeychainError(.internalComponent, "a missing password was no failure")
    }

    /// One derivation at a time, apart from those of the passcode: no program has the person wait.
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

    /// What a derivation costs on this machine, measured once.
    private func passwordParameters() throws(KeychainError) -> PasswordHash.Parameters {
        try passwordTurn.withLock { parameters throws(KeychainError) in
            if let parameters { return parameters }
            let calibrated = try settings.passwordHash.calibrated(upTo: Self.passwordMemory)
            parameters = calibrated
            return calibrated
        }
    }

    /// Wraps row keys anew under the class keys of now. What they are bound to stays, and so does a password around them.
    func rewrapRowKeys(_ keys: [WrappedRowKey], _ keybag: KeybagCustodian) throws(KeychainError) -> [RewrappedRowKey] {
        try checkBatch(keys.count)
        var ready: ReadyKey?
        return keys.map { key in
            do throws(KeychainError) { return try rewrap(key, keybag, &ready) } catch { return .failure(error) }
        }
    }

    private func rewrap(
        _ wrapped: WrappedRowKey, _ keybag: KeybagCustodian, _ ready: inout ReadyKey?
    ) throws(KeychainError) -> RewrappedRowKey {
        let row = wrapped.context
        let content = try unwrap(wrapped, keybag, &ready)
        let key = try keybag.classKey(row.accessibility, seals: 1)
        let context = SealContext(.rowKey, keyID: key.id, row: row)
        return .key(classKeyID: key.id, wrapped: try SealingKey(key.secret).seal(content, for: context))
    }
}
