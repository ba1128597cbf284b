import CallerIdentity
import ChatelaineIPC
import ChatelaineModel
import EnclaveProtocol
import Sealing

/// Requests about the passcode of a store, and about the keys that it protects.
extension EnclaveConnection {
    /// Sends a request with passcodes once, on a channel of its own, and waits while the custodian checks them.
    ///
    /// If the custodian goes away meanwhile, a try may have been counted or the change made. So nothing is sent again.
    ///
    /// - Parameters:
    ///   - descriptors: the descriptors to read the passcodes from, in their order. They stay the caller's, and are not
    ///     read here.
    ///   - hasPlace: whether the caller holds the place (``withPlace(for:_:)``).
    func call(
        _ request: some EnclavePasscodeRequest, passcodes descriptors: [Int32], hasPlace: Bool = false
    ) throws(KeychainError) -> PasscodeReport {
        if let report = try delay(of: request) { return report }
        let report = try hasPlace ? send(request, descriptors) : exchangeAlone(request, descriptors: descriptors)
        if type(of: request).changesKeys, report.outcome == .done { holders.forgetKeys() }
        return report
    }

    /// Runs `body` with the place for a passcode, for which its request then need not wait.
    ///
    /// Whoever holds a lock while a passcode is checked takes the place before the lock: it may be a minute before a
    /// program has its turn.
    func withPlace<Answer>(
        for passcode: GivenPasscode, _ body: (GivenPasscode) throws(KeychainError) -> Answer
    ) throws(KeychainError) -> Answer {
        // The place for dialogs has no line.
        guard case .program = passcode.origin else { return try body(passcode) }
        return try passcodes.hold(for: passcode.origin) { () throws(KeychainError) in
            var placed = passcode
            placed.hasPlace = true
            return try body(placed)
        }
    }

    /// The answer to a passcode that the custodian would not look at before a delay is over; nil where it would.
    ///
    /// Such a passcode takes no place from others. The custodian decides by its own clock, here and when it gets one.
    private func delay(of request: some EnclavePasscodeRequest) throws(KeychainError) -> PasscodeReport? {
        guard type(of: request).isTry else { return nil }
        var report = try passcodeReport(for: request.origin, in: request.store)
        guard report.hasPasscode, report.delay > 0 else { return nil }
        report.outcome = .delayed
        return report
    }

    /// Sends one request once, on a channel of its own, which nothing else waits for; returns the answer.
    ///
    /// A request with a passcode first waits for one of the custodian's places. Programs leave the agent its own, and
    /// wait in a line of theirs.
    func exchangeAlone<Request: EnclaveSecretRequest>(
        _ request: Request, descriptors: [Int32]
    ) throws(KeychainError) -> Request.Reply {
        let origin = request.passcodes?.origin ?? .agent
        switch request.passcodes?.place {
        case .agent:
            agentPasscodes.wait()
            defer { agentPasscodes.signal() }
            return try send(request, descriptors)
        case .program:
            return try passcodes.hold(for: origin) { () throws(KeychainError) in try send(request, descriptors) }
        case .credential:
            return try credentials.hold(for: origin) { () throws(KeychainError) in try send(request, descriptors) }
        // Passwords of keychains have places of their own.
        case .keychain, nil: return try send(request, descriptors)
        }
    }

    /// Sends a request with which nothing comes once, on a channel of its own.
    func exchangeAlone<Request: EnclaveStoreRequest>(_ request: Request) throws(KeychainError) -> Request.Reply {
        try send(request, [])
    }

    private func send<Request: EnclaveStoreRequest>(
        _ request: Request, _ descriptors: [Int32]
    ) throws(KeychainError) -> Request.Reply {
        let taken = try takeAlone(for: request.neededStore)
        // From here on there may be a passcode, whatever the answer is.
        if request is SetPasscode { notePasscode() }
        do {
            if taken.hasToOpen { try reopen(request.store, over: taken) }
            return try exchange(request, on: taken.channel, descriptors: descriptors).get()
        } catch let unsent as Unsent {
            throw unsent.reason
        } catch let error as KeychainError {
            throw error
        } catch {
            lose(taken.generation, because: error)
            throw KeychainError(
                .notAvailable,
                "the key custodian went away while it looked at a passcode: look how it stands before you try again")
        }
    }

    /// The state of a store's passcode, with the tries of one origin.
    func passcodeReport(
        for origin: PasscodeOrigin, in store: StoreIdentifier
    ) throws(KeychainError) -> PasscodeReport {
        let report = try call(ReadPasscodeStatus(origin, in: store))
        if report.hasPasscode { notePasscode() }
        return report
    }

    /// Locks a store.
    ///
    /// On return the keys are gone here as well, except those of operations under way.
    func lock(_ store: StoreIdentifier) throws(KeychainError) {
        defer { forget() }
        _ = try call(LockStore(store))
    }

    /// Whether the records that widen access are the ones that were signed last.
    func isEndorsed(
        _ claim: ApplicationLedger.Claim, in store: StoreIdentifier
    ) throws(KeychainError) -> Bool {
        let request = CheckEndorsement(
            claim.endorsement, of: claim.digest, haveTrust: claim.haveTrust, in: store)
        return try call(request).isEndorsed
    }

    /// Finds out whether a store has a passcode.
    ///
    /// While that is unknown, the store counts as having one.
    func learnPasscode(of store: StoreIdentifier) {
        do throws(KeychainError) { _ = try passcodeReport(for: .agent, in: store) } catch { notePasscode() }
    }
}

extension PasscodeReport {
    /// Throws unless every passcode was right.
    ///
    /// - Throws: `errSecAuthFailed` where a passcode was wrong, or not checked.
    func requireRight() throws(KeychainError) {
        let seconds = (delay + 999) / 1000
        switch outcome {
        case .done: return
        case .wrong:
            throw KeychainError(
                .authFailed,
                "the passcode is wrong; nothing was changed"
                    + (seconds > 0 ? "; the next try counts in \(seconds) s" : ""))
        case .delayed:
            throw KeychainError(
                .authFailed,
                "too many wrong passcodes: the next one is looked at in \(seconds) s; this one does not count")
        }
    }
}
