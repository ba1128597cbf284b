import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing

/// What the custodian does for each request; of whoever asks it remembers what is in its authentication contexts.
extension Enclave {
    /// Carries out one request; whatever goes wrong is in the reply.
    ///
    /// - Parameters:
    ///   - passcodes: those that came with it, ``EnclaveRequest/passcodeCount`` of them.
    ///   - isAwaited: whether whoever asks still waits for the answer, where that takes as long as a person does.
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
            let (key, seals) = try keybag(of: store).metadataKey(accessibility)
            return .metadataKey(MetadataKey(id: key.id, key: key.secret, sealsGranted: UInt32(clamping: seals)))
        case .metadataKey(let id, let store):
            let key = try keybag(of: store).key(id, .metadataKey)
            return .metadataKey(MetadataKey(id: key.id, key: key.secret, sealsGranted: 0))
        case .createRowKeys(let contexts, let use, let store):
            return .newRowKeys(try createRowKeys(contexts, for: use, try keybag(of: store)))
        case .openRowKeys(let keys, let use, let store):
            return .rowKeys(try openRowKeys(keys, for: use, try keybag(of: store)))
        case .rewrapRowKeys(let keys, let store):
            return .rewrappedRowKeys(try rewrapRowKeys(keys, try keybag(of: store)))
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
        case .setCredential(let context, let isPresent, let store):
            guard passcodes.count == (isPresent ? 1 : 0) else {
                throw KeychainError(.param, "a password was announced and did not come")
            }
            try setCredential(passcodes, of: context, in: try keybag(of: store))
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
        case .lock(let store):
            try keybag(of: store).lock()
            return .done
        case .checkEndorsement(let endorsement, let digest, let store):
            return .isEndorsed(try keybag(of: store).isEndorsed(digest, by: endorsement))
        case .destroyKeys(let ids, let store):
            try keybag(of: store).destroyKeys(ids)
            return .done
        }
    }

    private func createRowKeys(
        _ rows: [RowContext], for use: KeyUse?, _ keybag: KeybagCustodian
    ) throws(KeychainError) -> [NewRowKey] {
        try checkBatch(rows.count)
        var contexts = rows
        var counts: [Accessibility: Int] = [:]
        for (index, context) in rows.enumerated() {
            try checkStore(context, keybag)
            counts[context.accessibility, default: 0] += 1
            guard let constraints = context.constraints else { continue }
            contexts[index].constraints = try keybag.bind(constraints, of: context, for: use)
        }
        // Before any seal is reserved.
        let device = keybag.device
        for accessibility in counts.keys { try device.check(accessibility) }
        // Ready keys live for one batch: swift-crypto keeps its copies outside locked memory, and wipes them at its end.
        var ready: [Accessibility: (id: UInt32, key: SealingKey)] = [:]
        for (accessibility, count) in counts {
            let key = try keybag.classKey(accessibility, seals: count)
            ready[accessibility] = (key.id, try SealingKey(key.secret))
        }
        var keys: [NewRowKey] = []
        keys.reserveCapacity(contexts.count)
        for context in contexts {
            guard let (id, classKey) = ready[context.accessibility] else { continue }
            let key = KeyDerivation.randomKey()
            let content = try content(of: key, at: context, for: use, keybag)
            let wrapped = try classKey.seal(content, for: SealContext(.rowKey, keyID: id, row: context))
            keys.append(NewRowKey(classKeyID: id, key: key, wrapped: wrapped, constraints: context.constraints))
        }
        return keys
    }

    /// The class key that was used last: the rows of one batch are nearly always of one class.
    typealias ReadyKey = (id: UInt32, key: SealingKey)

    private func openRowKeys(
        _ keys: [WrappedRowKey], for use: KeyUse?, _ keybag: KeybagCustodian
    ) throws(KeychainError) -> [Result<SecretBytes, KeychainError>] {
        try checkBatch(keys.count)
        var ready: ReadyKey?
        return keys.map { key in
            Result { () throws(KeychainError) in try openRowKey(key, for: use, keybag, &ready) }
        }
    }

    private func openRowKey(
        _ wrapped: WrappedRowKey, for use: KeyUse?, _ keybag: KeybagCustodian, _ ready: inout ReadyKey?
    ) throws(KeychainError) -> SecretBytes {
        let content = try unwrap(wrapped, keybag, &ready)
        guard let constraints = wrapped.context.constraints else { return try checkLength(content) }
        return try checkLength(try release(content, at: wrapped.context, under: constraints, for: use, keybag))
    }

    /// What the class key has wrapped: the row key, or that under a password of the program's.
    func unwrap(
        _ wrapped: WrappedRowKey, _ keybag: KeybagCustodian, _ ready: inout ReadyKey?
    ) throws(KeychainError) -> SecretBytes {
        try checkStore(wrapped.context, keybag)
        let key = try keybag.key(wrapped.classKeyID, .classKey)
        let classKey: SealingKey
        if let last = ready, last.id == key.id {
            classKey = last.key
        } else {
            classKey = try SealingKey(key.secret)
            ready = (key.id, classKey)
        }
        let context = SealContext(.rowKey, keyID: key.id, row: wrapped.context)
        return try classKey.open(wrapped.wrapped, for: context)
    }

    private func checkLength(_ rowKey: SecretBytes) throws(KeychainError) -> SecretBytes {
        guard rowKey.count == Sealing.keyByteCount else {
            throw KeychainError(.decode, "a row key has \(rowKey.count) bytes instead of \(Sealing.keyByteCount)")
        }
        return rowKey
    }

    private func checkStore(_ context: RowContext, _ keybag: KeybagCustodian) throws(KeychainError) {
        guard context.store == keybag.store else {
            throw KeychainError(.param, "a row of another store than the one that is asked about")
        }
    }

    func checkBatch(_ count: Int) throws(KeychainError) {
        guard count <= EnclaveRequest.maximumBatch else {
            throw KeychainError(.param, "\(count) row keys in one request; \(EnclaveRequest.maximumBatch) are allowed")
        }
    }
}
