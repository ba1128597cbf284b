import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing

/// Private keys of rows, and symmetric keys that never leave.
///
/// Their row keys leave the custodian only for a worker, and the custodian decides what a worker may do.
extension Enclave {
    /// Makes a key; see ``MakeSealedKey``.
    ///
    /// No lock on the store is held while a worker calculates, which takes minutes for large primes. If the store is
    /// locked meanwhile, the key is discarded.
    func makeKey(
        _ source: KeySource, at row: RowContext, for use: KeyUse?, in store: StoreIdentifier
    ) throws(KeychainError) -> MadeKey {
        let (context, formerKey) = try checked(source, at: row, for: use, try custodian(of: store))
        let rowKey = KeyDerivation.randomKey()
        let (sealed, content) = try made(from: source, formerKey, at: context, rowKey)
        let (id, wrapped) = try wrapped(rowKey, at: context, try custodianAfterwards(of: store))
        return MadeKey(
            classKeyID: id, wrapped: wrapped, sealed: sealed, constraints: context.constraints, content: content)
    }

    /// Checks that the key can be made; returns its context with bound constraints, and the row key of a key that
    /// moves.
    private func checked(
        _ source: KeySource, at row: RowContext, for use: KeyUse?, _ custodian: some RowKeyCustodian
    ) throws(KeychainError) -> (context: RowContext, formerKey: SecretBytes?) {
        var context = row
        try checkStore(context, custodian)
        guard let custody = context.keyCustody else { throw Self.noPrivateKey }
        if custody == .enclave { try custodian.requireDevice() }
        if let constraints = context.constraints {
            guard !constraints.needsApplicationPassword else {
                throw KeychainError(.unimplemented, "no key is kept under a password of the program's")
            }
            context.constraints = try custodian.constraintKeybag.bound(constraints)
        }
        try custodian.check(CollectionOfOne(context.accessibility))
        guard case .kept(let key) = source else { return (context, nil) }
        return (context, try rowKey(of: key, keeping: custody, for: use, custodian))
    }

    private func custodianAfterwards(of store: StoreIdentifier) throws(KeychainError) -> any RowKeyCustodian {
        do throws(KeychainError) { return try custodian(of: store) } catch {
            throw KeychainError(cause: .locked, "the keychain was locked while the key was made")
        }
    }

    private func wrapped(
        _ rowKey: SecretBytes, at context: RowContext, _ custodian: some RowKeyCustodian
    ) throws(KeychainError) -> (id: UInt32, bytes: [UInt8]) {
        try custodian.check(CollectionOfOne(context.accessibility))
        guard let wrapping = try custodian.wrappingKeys(for: [context]).first else {
            throw KeychainError(.internalComponent, "a row has no key to be wrapped by")
        }
        return (
            wrapping.id, try wrapping.key.seal(rowKey, for: SealContext(.rowKey, keyID: wrapping.id, row: context))
        )
    }

    /// Calculates with a key; see ``UseSealedKey``.
    ///
    /// - Parameter lockings: the count of lockings before the custodian was looked up. A worker that has worked during
    ///   a locking is ended.
    func useKey(
        _ key: SealedKey, _ task: KeyTask, for use: KeyUse?, _ custodian: some RowKeyCustodian, since lockings: Int
    ) throws(KeychainError) -> SecretBytes {
        let context = key.rowKey.context
        guard let custody = context.keyCustody else { throw Self.noPrivateKey }
        try task.validate()
        guard task.isOfSymmetricKey == (custody == .symmetric) || task == .export else {
            throw KeychainError(.param, "symmetric keys wrap and unwrap keys, and private keys do everything else")
        }
        // Constraints on a key say who calculates with it. Nobody has its bytes then (behaviour/keys.md, 15).
        if case .export = task, custody != .exportable || context.constraints != nil {
            throw KeychainError(
                .unimplemented, "the key can be used and not be exported: its bytes never leave the keychain")
        }
        let rowKey = try openedRowKey(of: key, for: task.operations, use, custodian)
        if custody.isOfEnclave {
            return try EnclaveKey(opening: key.sealed, at: context, with: rowKey).result(of: task)
        }
        let request = KeyWorkerRequest.use(task, sealed: key.sealed, at: context, rowKey: rowKey)
        switch try settings.keyWorkers.calculate(request, since: lockings) {
        case .result(let bytes): return bytes
        case .failure(let error): throw error
        case .made: throw Self.confusedWorker
        }
    }

    private func made(
        from source: KeySource, _ formerKey: SecretBytes?, at context: RowContext, _ rowKey: SecretBytes
    ) throws(KeychainError) -> (sealed: [UInt8], content: KeyContent) {
        if context.keyCustody?.isOfEnclave == true {
            return try madeHere(from: source, formerKey, at: context, rowKey)
        }
        let work: KeyWorkerSource
        switch source {
        case .generated(let kind, let bits): work = .generated(kind, bits: bits)
        case .brought(let kind, let representation): work = .brought(kind, representation)
        case .kept(let key):
            guard let formerKey else { throw Self.confusedWorker }
            work = .kept(sealed: key.sealed, at: key.rowKey.context, rowKey: formerKey)
        }
        // A worker does not keep a key that it makes.
        let lockings = settings.keyWorkers.lockings
        switch try settings.keyWorkers.calculate(.make(work, at: context, rowKey: rowKey), since: lockings) {
        case .made(let sealed, let content): return (sealed, content)
        case .failure(let error): throw error
        case .result: throw Self.confusedWorker
        }
    }

    /// Makes a key of the enclave in this process; no worker sees it.
    private func madeHere(
        from source: KeySource, _ formerKey: SecretBytes?, at context: RowContext, _ rowKey: SecretBytes
    ) throws(KeychainError) -> (sealed: [UInt8], content: KeyContent) {
        let key: EnclaveKey
        switch source {
        case .generated(.ec, EnclaveKey.bits): key = EnclaveKey()
        case .kept(let former):
            guard let formerKey else { throw Self.confusedWorker }
            key = try EnclaveKey(opening: former.sealed, at: former.rowKey.context, with: formerKey)
        case .generated, .brought:
            throw KeychainError(.param, "keys of the enclave are on P-256, and are made there")
        }
        return (try key.sealed(at: context, with: rowKey), key.content)
    }

    /// The row key of a key that moves to another place.
    ///
    /// Whoever may calculate with a key may move it. The allowed use of the key stays the same, or an exportable key
    /// becomes one that never leaves. No move takes that back.
    private func rowKey(
        of key: SealedKey, keeping custody: KeyCustody, for use: KeyUse?, _ custodian: some RowKeyCustodian
    ) throws(KeychainError) -> SecretBytes {
        let former = key.rowKey.context
        guard former.keyCustody == custody || (former.keyCustody == .exportable && custody == .useOnly) else {
            throw KeychainError(.param, "a key moves as it is: what may become of it was said when it was made")
        }
        return try openedRowKey(of: key, for: [custody.changing], use, custodian)
    }

    /// Unwraps the row key and then checks the constraints, so that damage is reported before a refusal, as with
    /// secrets.
    private func openedRowKey(
        of key: SealedKey, for operations: [AccessConstraints.Operation], _ use: KeyUse?,
        _ custodian: some RowKeyCustodian
    ) throws(KeychainError) -> SecretBytes {
        var last: WrappingKey?
        let rowKey = try checkLength(try unwrap(key.rowKey, custodian, &last))
        guard let constraints = key.rowKey.context.constraints else { return rowKey }
        let keybag = try custodian.constraintKeybag
        for operation in operations {
            // The task determines the operation, so that a program cannot name another one.
            let use = use.map { KeyUse($0.context, for: operation) }
            try keybag.check(constraints, of: key.rowKey.context, for: use, operation)
        }
        return rowKey
    }

    private static var noPrivateKey: KeychainError {
        KeychainError(.param, "the row is not that of a private key")
    }

    private static var confusedWorker: KeychainError {
        KeychainError(.internalComponent, "the process that calculates with keys answers what it was not asked")
    }
}
