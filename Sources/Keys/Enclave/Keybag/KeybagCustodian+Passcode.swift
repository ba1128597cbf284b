import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing

/// The passcode of a keybag.
///
/// Callers hold the custodian's passcode turn, so that one passcode is checked at a time; only ``lock()`` and
/// ``report(_:for:)`` need no turn.
extension KeybagCustodian {
    private enum Verdict {
        case right(protector: SecretBytes)
        case not(PasscodeOutcome)
    }

    /// Sets the first passcode.
    ///
    /// Everything stays open.
    func setPasscode(_ passcode: SecretBytes) throws(KeychainError) {
        try checkIsOpen()
        guard !device.hasPasscode else { throw KeychainError(.param, "there is a passcode already; change it") }
        try Self.checkLength(ofNew: passcode)
        let protector = KeyDerivation.randomKey()
        let record = try makeRecord(of: passcode, wrapping: protector)
        // Written before the keybag records that the file exists; from then on a missing file is noticed.
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
                // The protector stays, and with it the class keys and the signing key.
                record.endorsementKey = draft.keybag.passcode?.endorsementKey
                record.signed = draft.keybag.passcode?.signed
                draft.keybag.passcode = record
                draft.keybag.changed = draft.now
            }
        }
    }

    /// Gives new keys to every class that the passcode protects, under a new protector.
    func newKeys(_ passcode: SecretBytes, from origin: PasscodeOrigin) throws(KeychainError) -> PasscodeOutcome {
        try whenRight(passcode, from: origin) { former throws(KeychainError) in
            let protector = KeyDerivation.randomKey()
            var record = try makeRecord(of: passcode, wrapping: protector)
            try saveAlone(opening: { if $0.device.lock == .unlocked { $0.protector = protector } }) {
                draft throws(KeychainError) in
                draft.protector = former
                try draft.openAll()
                // Signed records continue to count, although the key that signed them is replaced.
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

    /// Checks the passcode, and does nothing else.
    func verifyPasscode(_ passcode: SecretBytes, from origin: PasscodeOrigin) throws(KeychainError) -> PasscodeOutcome {
        try whenRight(passcode, from: origin) { _ in }
    }

    /// Opens the keys of every class, for all rows at once.
    ///
    /// - Parameter lockings: the number of times that the keybag had been locked when the unlock was requested.
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

    /// Wipes the keys that must not be in memory while the keybag is locked.
    ///
    /// Requests in progress keep their keys until they end.
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

    /// The state of the passcode; call ``loadTries()`` before.
    func report(_ outcome: PasscodeOutcome = .done, for origin: PasscodeOrigin) -> PasscodeReport {
        let (keybag, device) = withState { ($0.keybag, $0.device) }
        var report = PasscodeReport()
        report.outcome = outcome
        report.hasPasscode = device.hasPasscode
        report.state = device.lock
        report.supersededKeys = keybag.keys.filter(\.isSuperseded).map(\.id)
        guard let passcode = keybag.passcode else { return report }
        let parameters = passcode.protector.parameters
        (report.memory, report.passes, report.lanes) = (parameters.memory, parameters.passes, parameters.lanes)
        report.failures = tries.counts?.failures(of: origin) ?? 0
        report.delay = tries.delay(for: origin)
        report.hasSignedTrust = (passcode.signed ?? .former(passcode.endorsementKey))?.haveTrust ?? false
        return report
    }

    /// Reads the file of tries, unless the counts are known or there is no passcode.
    func loadTries() throws(KeychainError) {
        guard device.hasPasscode else { return }
        try tries.load(atLeast: withState { $0.keybag.triesSequence })
    }

    /// Checks the passcode, and runs `body` with the protector if it is right.
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

    /// Saves a change, one at a time.
    ///
    /// Slow work must be done before, because other changes wait.
    func saveAlone(
        opening: (inout State) -> Void = { _ in }, _ change: (inout KeybagDraft) throws(KeychainError) -> Void
    ) throws(KeychainError) {
        try whileSaving { () throws(KeychainError) in try save(opening: opening, change) }
        withState { $0.contexts.forgetProofs() }
    }

    /// Checks a passcode after its try is counted on disk.
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
            // The failed attempt revealed nothing about the passcode.
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
        // A busy or weaker machine must not make the new passcode cheaper to guess.
        let former = withState { $0.keybag.passcode?.protector.parameters }
        let parameters = try settings.passwordHash.calibrated(atLeast: former)
        return try PasscodeRecord.make(
            of: passcode, wrapping: protector, for: id, parameters: parameters, hash: settings.passwordHash,
            backend: file.backend)
    }

    /// Throws if the keybag was closed while the caller waited for its turn, because another custodian may now count
    /// the tries.
    private func checkIsOpen() throws(KeychainError) { try whileSaving { () throws(KeychainError) in } }

    private static func checkLength(ofNew passcode: SecretBytes) throws(KeychainError) {
        guard passcode.count >= EnclaveWire.minimumPasscodeBytes else {
            throw KeychainError(
                .param,
                "a passcode of \(passcode.count) bytes is too short; take \(EnclaveWire.minimumPasscodeBytes) or more")
        }
    }
}
