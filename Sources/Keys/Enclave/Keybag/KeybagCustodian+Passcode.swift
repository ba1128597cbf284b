import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing

/// The passcode of a keybag. Whoever calls these has the custodian's turn, so that one passcode is looked at at a time; only
/// ``lock()`` and ``report(_:for:)`` wait for nobody.
extension KeybagCustodian {
    private enum Verdict {
        case right(protector: SecretBytes)
        case not(PasscodeOutcome)
    }

    /// Sets the first passcode. Everything stays open.
    func setPasscode(_ passcode: SecretBytes) throws(KeychainError) {
        try checkIsOpen()
        guard !device.hasPasscode else { throw KeychainError(.param, "there is a passcode already; change it") }
        try Self.checkLength(ofNew: passcode)
        let protector = KeyDerivation.randomKey()
        let record = try makeRecord(of: passcode, wrapping: protector)
        // Before the keybag says that there are tries: from then on they are missed.
        try tries.begin(above: withState { $0.keybag.triesSequence })
        try saveAlone(opening: {
            $0.device.hasPasscode = true
            $0.device.lock = .unlocked
            $0.protector = protector
            $0.matchTries.notePasscode()
        }) { draft throws(KeychainError) in
            try draft.protect(record, with: protector)
            try draft.supersede()
        }
    }

    func changePasscode(
        _ passcode: SecretBytes, to new: SecretBytes, from origin: PasscodeOrigin
    ) throws(KeychainError) -> PasscodeOutcome {
        try Self.checkLength(ofNew: new)
        return try whenRight(passcode, from: origin) { protector throws(KeychainError) in
            var record = try makeRecord(of: new, wrapping: protector)
            try saveAlone { draft throws(KeychainError) in
                // Class keys stay as they are, and the one that signs: it is the same protector.
                record.endorsementKey = draft.keybag.passcode?.endorsementKey
                record.signed = draft.keybag.passcode?.signed
                draft.keybag.passcode = record
                draft.keybag.changed = draft.now
            }
        }
    }

    /// Gives every class that the passcode protects new keys, under a new protector.
    func newKeys(_ passcode: SecretBytes, from origin: PasscodeOrigin) throws(KeychainError) -> PasscodeOutcome {
        try whenRight(passcode, from: origin) { former throws(KeychainError) in
            let protector = KeyDerivation.randomKey()
            var record = try makeRecord(of: passcode, wrapping: protector)
            try saveAlone(opening: { if $0.device.lock == .unlocked { $0.protector = protector } }) {
                draft throws(KeychainError) in
                draft.protector = former
                try draft.openAll()
                // What was signed goes on to count, and that it was signed is not forgotten with the key.
                let left = draft.keybag.passcode
                record.signed = left?.signed ?? SignedRecords.former(left?.endorsementKey)
                try draft.protect(record, with: protector)
                try draft.supersede()
            }
        }
    }

    func removePasscode(_ passcode: SecretBytes, from origin: PasscodeOrigin) throws(KeychainError) -> PasscodeOutcome {
        try whenRight(passcode, from: origin) { protector throws(KeychainError) in
            try saveAlone(opening: {
                $0.device = DeviceState(hasPasscode: false)
                $0.protector = nil
            }) { draft throws(KeychainError) in
                draft.protector = protector
                try draft.openAll()
                try draft.protect(nil, with: nil)
            }
        }
    }

    /// Looks whether it is the right one, and does nothing else.
    func verifyPasscode(_ passcode: SecretBytes, from origin: PasscodeOrigin) throws(KeychainError) -> PasscodeOutcome {
        try whenRight(passcode, from: origin) { _ in }
    }

    /// Opens the keys of every class, once for all rows.
    ///
    /// - Parameter lockings: how often it had been locked when the unlock was asked for.
    func unlock(
        _ passcode: SecretBytes, from origin: PasscodeOrigin, lockings: UInt64
    ) throws(KeychainError) -> PasscodeOutcome {
        try whenRight(passcode, from: origin) { protector throws(KeychainError) in
            let (keybag, known) = withState { ($0.keybag, $0.keys.mapValues(\.secret)) }
            var device = device
            device.lock = .unlocked
            let secrets = try KeybagDraft.unwrap(
                keybag, backend: file.backend, protector: protector, for: device, known: known)
            let isUnlocked = withState { state in
                guard state.lockings == lockings else { return false }
                state.device = device
                state.protector = protector
                state.adopt(secrets)
                return true
            }
            guard isUnlocked else {
                throw KeychainError(
                    cause: .locked, "it was locked while it was being unlocked; unlock it again")
            }
        }
    }

    /// Wipes what is not to be there while it is locked. Requests that are under way keep their keys until they end.
    func lock() {
        withState { state in
            state.contexts.removeAll()
            guard state.device.hasPasscode else { return }
            state.lockings += 1
            if state.device.lock == .unlocked { state.device.lock = .locked }
            state.protector = nil
            state.adopt([:])
        }
    }

    /// How it stands; ``loadTries()`` comes first.
    func report(_ outcome: PasscodeOutcome = .done, for origin: PasscodeOrigin) -> PasscodeReport {
        let (keybag, device) = withState { ($0.keybag, $0.device) }
        var report = PasscodeReport()
        report.outcome = outcome
        report.hasPasscode = device.hasPasscode
        report.state = device.lock
        report.supersededKeys = keybag.keys.filter(\.isSuperseded).map(\.id)
        guard let passcode = keybag.passcode else { return report }
        (report.memory, report.passes) = (passcode.parameters.memory, passcode.parameters.passes)
        report.lanes = passcode.parameters.lanes
        report.failures = tries.counts?.failures(of: origin) ?? 0
        report.delay = tries.delay(for: origin)
        report.hasSignedTrust = (passcode.signed ?? .former(passcode.endorsementKey))?.haveTrust ?? false
        return report
    }

    /// Reads the file of tries, unless it is known or there is no passcode.
    func loadTries() throws(KeychainError) {
        guard device.hasPasscode else { return }
        try tries.load(atLeast: withState { $0.keybag.triesSequence })
    }

    /// Does what needs the right passcode, with the protector that it opens.
    func whenRight(
        _ passcode: SecretBytes, from origin: PasscodeOrigin, _ body: (SecretBytes) throws(KeychainError) -> Void
    ) throws(KeychainError) -> PasscodeOutcome {
        switch try verify(passcode, from: origin) {
        case .not(let outcome): return outcome
        case .right(let protector):
            try body(protector)
            return .done
        }
    }

    /// A change that waits for other changes, and they for it: everything that takes long is done before.
    func saveAlone(
        opening: (inout State) -> Void = { _ in }, _ change: (inout KeybagDraft) throws(KeychainError) -> Void
    ) throws(KeychainError) {
        try whileSaving { () throws(KeychainError) in try save(opening: opening, change) }
        withState { $0.contexts.forgetProofs() }
    }

    /// Looks at a passcode, once its try is counted on disk.
    private func verify(_ passcode: SecretBytes, from origin: PasscodeOrigin) throws(KeychainError) -> Verdict {
        try checkIsOpen()
        guard let record = withState({ $0.keybag.passcode }) else {
            throw KeychainError(.param, "there is no passcode; set one first")
        }
        try loadTries()
        guard tries.delay(for: origin) == 0 else { return .not(.delayed) }
        let former = try tries.count(origin)
        let protector: SecretBytes?
        do throws(KeychainError) {
            protector = try record.open(
                with: passcode, of: id, hash: settings.passwordHash, backend: file.backend)
        } catch {
            // Nothing was learnt about the passcode.
            tries.takeBack(to: former)
            throw error
        }
        guard let protector else { return .not(.wrong) }
        tries.succeed()
        withState { $0.matchTries.notePasscode() }
        return .right(protector: protector)
    }

    private func makeRecord(
        of passcode: SecretBytes, wrapping protector: SecretBytes
    ) throws(KeychainError) -> PasscodeRecord {
        // A machine that is busy, or smaller than the last one, makes nothing cheaper.
        let former = withState { $0.keybag.passcode?.parameters }
        let parameters = try settings.passwordHash.calibrated(atLeast: former)
        return try PasscodeRecord.make(
            of: passcode, wrapping: protector, for: id, parameters: parameters, hash: settings.passwordHash,
            backend: file.backend)
    }

    /// Whoever has closed it waited for its turn: from then on another one counts the tries.
    private func checkIsOpen() throws(KeychainError) { try whileSaving { () throws(KeychainError) in } }

    private static func checkLength(ofNew passcode: SecretBytes) throws(KeychainError) {
        guard passcode.count >= EnclaveWire.minimumPasscodeBytes else {
            throw KeychainError(
                .param,
                "a passcode of \(passcode.count) bytes is too short; take \(EnclaveWire.minimumPasscodeBytes) or more")
        }
    }
}
