import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing

/// Private keys of rows. Their row keys never leave the custodian but for a worker, and what a worker does is for the custodian to allow.
extension Enclave {
    /// See ``EnclaveRequest/makeKey(_:at:for:in:)``.
    func makeKey(
        _ source: KeySource, at row: RowContext, for use: KeyUse?, _ custodian: some RowKeyCustodian
    ) throws(KeychainError) -> MadeKey {
        var context = row
        try checkStore(context, custodian)
        guard let keyUse = context.privateKeyUse else { throw Self.noPrivateKey }
        if keyUse == .enclave { try custodian.requireDevice() }
        if let constraints = context.constraints {
            guard !constraints.needsApplicationPassword else {
                throw KeychainError(.unimplemented, "no key is kept under a password of the program's")
            }
            context.constraints = try custodian.constraintKeybag.bound(constraints)
        }
        try custodian.check(CollectionOfOne(context.accessibility))
        let former: (key: SealedKey, rowKey: SecretBytes)? =
            switch source {
            case .kept(let key): (key, try rowKey(of: key, keeping: keyUse, for: use, custodian))
            default: nil
            }
        guard let wrapping = try custodian.wrappingKeys(for: [context]).first else {
            throw KeychainError(.internalComponent, "a row has no key to be wrapped by")
        }
        let rowKey = KeyDerivation.randomKey()
        let (sealed, content) = try made(from: source, former?.rowKey, at: context, rowKey)
        let wrapped = try wrapping.key.seal(rowKey, for: SealContext(.rowKey, keyID: wrapping.id, row: context))
        return MadeKey(
            classKeyID: wrapping.id, wrapped: wrapped, sealed: sealed, constraints: context.constraints,
            content: content)
    }

    /// See ``EnclaveRequest/useKey(_:_:for:in:)``.
    func useKey(
        _ key: SealedKey, _ task: KeyTask, for use: KeyUse?, _ custodian: some RowKeyCustodian
    ) throws(KeychainError) -> SecretBytes {
        let context = key.rowKey.context
        guard let keyUse = context.privateKeyUse else { throw Self.noPrivateKey }
        try task.validate()
        if case .export = task, keyUse != .exportable {
            throw KeychainError(
                .unimplemented, "the key can be used and not be exported: its bytes never leave the keychain")
        }
        let lockings = settings.keyWorkers.lockings
        let rowKey = try openedRowKey(of: key, for: task.operations, use, custodian)
        if keyUse.isOfEnclave {
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
        if context.privateKeyUse?.isOfEnclave == true {
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
        // A worker keeps none that it makes.
        let lockings = settings.keyWorkers.lockings
        switch try settings.keyWorkers.calculate(.make(work, at: context, rowKey: rowKey), since: lockings) {
        case .made(let sealed, let content): return (sealed, content)
        case .failure(let error): throw error
        case .result: throw Self.confusedWorker
        }
    }

    /// A key of the enclave, which no worker sees.
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

    /// The row key of a key that moves to another place. Whoever may calculate with it may have it moved; what may become of it stays.
    private func rowKey(
        of key: SealedKey, keeping keyUse: PrivateKeyUse, for use: KeyUse?, _ custodian: some RowKeyCustodian
    ) throws(KeychainError) -> SecretBytes {
        guard key.rowKey.context.privateKeyUse == keyUse else {
            throw KeychainError(.param, "a key moves as it is: what may become of it was said when it was made")
        }
        return try openedRowKey(of: key, for: [.sign], use, custodian)
    }

    /// Damage is told before a refusal, as with secrets.
    private func openedRowKey(
        of key: SealedKey, for operations: [AccessConstraints.Operation], _ use: KeyUse?,
        _ custodian: some RowKeyCustodian
    ) throws(KeychainError) -> SecretBytes {
        var last: WrappingKey?
        let rowKey = try checkLength(try unwrap(key.rowKey, custodian, &last))
        guard let constraints = key.rowKey.context.constraints else { return rowKey }
        let keybag = try custodian.constraintKeybag
        for operation in operations {
            // What is asked for says which: no program names another one.
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
