import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing

/// Handles each request. The custodian remembers nothing of its clients except their authentication contexts.
extension Enclave {
    /// Carries out one request; the reply contains any error.
    ///
    /// - Parameters:
    ///   - passcodes: the passcodes that came with the request, ``EnclaveRequest/passcodeCount`` of them.
    ///   - isAwaited: whether the client still waits, asked by requests that wait for a person.
    package func answer(
        _ request: EnclaveRequest, passcodes: [SecretBytes] = [], while isAwaited: () -> Bool = { true }
    ) -> EnclaveReply {
        do throws(KeychainError) {
            return try carryOut(request, passcodes, isAwaited)
        } catch {
            return .failure(error)
        }
    }

    private func carryOut(
        _ request: EnclaveRequest, _ passcodes: [SecretBytes], _ isAwaited: () -> Bool
    ) throws(KeychainError) -> EnclaveReply {
        switch request {
        case .openStore(let store, let isEmpty):
            return .store(try open(store, isEmpty: isEmpty).keys)
        case .closeStore(let store):
            close(store)
            return .done
        case .metadataKeyForSealing(let accessibility, let store):
            return .metadataKey(try custodian(of: store).metadataKeyForSealing(accessibility))
        case .metadataKey(let id, let store):
            return .metadataKey(try custodian(of: store).metadataKey(id: id))
        case .createRowKeys(let contexts, let use, let store):
            return .newRowKeys(try createRowKeys(contexts, for: use, try custodian(of: store)))
        case .openRowKeys(let keys, let use, let store):
            return .rowKeys(try openRowKeys(keys, for: use, try custodian(of: store)))
        case .rewrapRowKeys(let keys, let store):
            return .rewrappedRowKeys(try rewrapRowKeys(keys, try custodian(of: store)))
        case .makeKey(let source, let context, let use, let store):
            return .madeKey(try makeKey(source, at: context, for: use, in: store))
        case .useKey(let key, let task, let use, let store):
            // Read first: a worker must not keep a key whose keychain was closed once its custodian is in hand.
            let lockings = settings.keyWorkers.lockings
            return .keyResult(try useKey(key, task, for: use, try custodian(of: store), since: lockings))
        case .evaluate(let question, let store):
            return .evaluation(try keybag(of: store).evaluation(of: question))
        case .evaluatePolicy(let policy, let context, let store):
            return .evaluation(try keybag(of: store).evaluation(of: policy, in: context))
        case .biometryReport(let store): return .biometry(biometryReport(of: try keybag(of: store)))
        case .match(let question, let store):
            let keybag = try keybag(of: store)
            return .match(
                try match(for: .init(question), in: question.use.context, keybag, while: isAwaited))
        case .matchPolicy(let policy, let context, let store):
            return .match(try match(for: .policy(policy), in: context, try keybag(of: store), while: isAwaited))
        case .allowReuse(let context, let seconds, let store):
            try keybag(of: store).allowReuse(seconds: seconds, in: context)
            return .done
        case .setCredential(let context, let isPresent, let isTyped, let store):
            guard passcodes.count == (isPresent ? 1 : 0) else {
                throw KeychainError(.param, "a password was announced and did not come")
            }
            try setCredential(passcodes, isTyped: isTyped, of: context, in: try keybag(of: store))
            return .done
        case .endContext(let number):
            endContext(number)
            return .done
        case .noteMark(let store):
            try keybag(of: store).noteMark()
            return .done
        case .report: return .report(report())
        case .openChannel:
            throw KeychainError(.param, "a channel is opened by the process that holds its descriptor")
        case .sandbox: throw KeychainError(.param, "how a process is shut in is for that process to say")
        case .passcodeStatus, .setPasscode, .changePasscode, .removePasscode, .unlock, .newKeys, .verifyPasscode,
            .endorse, .prove, .provePolicy, .provePasscode:
            return .passcode(try carryOutForPasscode(request, passcodes))
        case .openKeychain(let store): return .store(try openKeychain(store))
        case .createKeychain, .unlockKeychain, .changeKeychainPassword, .verifyKeychainPassword,
            .verifyKeychainSecret:
            return .keychain(try carryOutForKeychain(request, passcodes))
        case .lock(let store):
            try keybag(of: store).lock()
            settings.keyWorkers.forgetKeys()
            return .done
        case .checkEndorsement(let endorsement, let digest, let haveTrust, let store):
            return .isEndorsed(
                try keybag(of: store).isEndorsed(digest, by: endorsement, haveTrust: haveTrust))
        case .destroyKeys(let ids, let store):
            try keybag(of: store).destroyKeys(ids)
            return .done
        }
    }

    private func createRowKeys(
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

    private func openRowKeys(
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
        guard count <= EnclaveRequest.maximumBatch else {
            throw KeychainError(.param, "\(count) row keys in one request; \(EnclaveRequest.maximumBatch) are allowed")
        }
    }
}

extension WrappedRowKey {
    /// The context of the seal under which the row key is.
    fileprivate var seal: SealContext { SealContext(.rowKey, keyID: classKeyID, row: context) }
}
