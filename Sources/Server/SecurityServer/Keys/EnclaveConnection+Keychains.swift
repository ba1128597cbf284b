import ChatelaineModel
import EnclaveProtocol

/// What concerns file keychains, which the custodian has in memory alone. One that was started again has none of them unlocked: whoever asks
/// hears that they are locked, and nothing opens them but their password.
extension EnclaveConnection {
    /// Makes the keys of a new keychain, which is unlocked then; what is to be in its file.
    ///
    /// - Parameter password: what it is read from. It stays the caller's, and is not read here.
    func createKeychain(_ store: StoreIdentifier, password: Int32) throws(KeychainError) -> KeychainHeader {
        guard let header = try callWithPasswords(.createKeychain(in: store), [password]).header else {
            throw Self.confused
        }
        return header
    }

    func unlockKeychain(
        _ header: KeychainHeader, password: Int32, from origin: PasscodeOrigin
    ) throws(KeychainError) -> KeychainReport {
        try unlocking(header.store) { () throws(KeychainError) in
            try callWithPasswords(.unlockKeychain(header, origin, in: header.store), [password])
        }
    }

    /// Another password for the same keys. Where the report is `done`, its header is to be put into the file, and counts once it is there.
    func changeKeychainPassword(
        _ header: KeychainHeader, password: Int32, to new: Int32, from origin: PasscodeOrigin
    ) throws(KeychainError) -> KeychainReport {
        let report = try unlocking(header.store) { () throws(KeychainError) in
            try callWithPasswords(.changeKeychainPassword(header, origin, in: header.store), [password, new])
        }
        guard (report.header != nil) == (report.outcome == .done) else { throw Self.confused }
        return report
    }

    func verifyKeychainPassword(
        _ header: KeychainHeader, password: Int32, from origin: PasscodeOrigin
    ) throws(KeychainError) -> KeychainReport {
        try callWithPasswords(.verifyKeychainPassword(header, origin, in: header.store), [password])
    }

    /// The same, or whether it is the passcode of that store: what is neither counts as a wrong one of both.
    func verifyKeychainSecret(
        _ header: KeychainHeader, secret: Int32, orPasscodeOf store: StoreIdentifier, from origin: PasscodeOrigin
    ) throws(KeychainError) -> KeychainReport {
        try callWithPasswords(
            .verifyKeychainSecret(header, origin, orPasscodeOf: store, in: header.store), [secret])
    }

    /// The keys of an unlocked keychain; the cause `locked` for any other.
    func openKeychain(_ store: StoreIdentifier) throws(KeychainError) -> StoreKeys {
        guard case .store(let keys) = try call(.openKeychain(store)) else { throw Self.confused }
        return keys
    }

    /// Locks a keychain. When this returns, its keys are gone here as well, but for what is under way.
    func lockKeychain(_ store: StoreIdentifier) throws(KeychainError) {
        monitor.locked { unlocks.noteLock(of: store) }
        defer { holders.forgetKeys() }
        // A custodian that is gone has nothing unlocked.
        guard isRunning else { return }
        guard case .done = try call(.closeStore(store)) else { throw Self.confused }
    }

    /// An unlock that is nothing where the keychain is locked meanwhile, and be it while it waits for its turn: then it is locked once more.
    private func unlocking(
        _ store: StoreIdentifier, _ body: () throws(KeychainError) -> KeychainReport
    ) throws(KeychainError) -> KeychainReport {
        let attempt = monitor.locked { unlocks.begin(store) }
        defer { monitor.locked { unlocks.end(attempt) } }
        let report = try body()
        let check: Result<Void, KeychainError> = monitor.locked {
            Result { () throws(KeychainError) in try unlocks.check(attempt) }
        }
        if case .failure(let error) = check {
            try lockKeychain(store)
            throw error
        }
        return report
    }

    /// Puts a request with passwords of a keychain, two at a time, each on a channel of its own; others wait here for their turn.
    ///
    /// Once only: where the custodian goes away meanwhile, nobody knows whether it was carried out.
    private func callWithPasswords(
        _ request: EnclaveRequest, _ passwords: [Int32]
    ) throws(KeychainError) -> KeychainReport {
        keychainPasswords.wait()
        defer { keychainPasswords.signal() }
        let taken = try takeAlone(for: request)
        // Keys that are locked have to be gone from stacks from now on.
        notePasscode()
        let reply: EnclaveReply
        do { reply = try exchange(request, on: taken.channel, descriptors: passwords) } catch {
            lose(taken.generation, because: error)
            throw KeychainError(
                .notAvailable,
                "the key custodian went away while it looked at the password of a keychain, which is locked now; try again"
            )
        }
        switch reply {
        case .keychain(let report): return report
        case .failure(let error): throw error
        default: throw Self.confused
        }
    }
}

extension KeychainReport {
    /// - Throws: `errSecAuthFailed` where a password was wrong, or not looked at.
    func requireRight() throws(KeychainError) {
        let seconds = (delay + 999) / 1000
        switch outcome {
        case .done: return
        case .wrong:
            throw KeychainError(
                .authFailed,
                "the password of the keychain is wrong; nothing was changed"
                    + (seconds > 0 ? "; the next one is looked at in \(seconds) s" : ""))
        case .delayed:
            throw KeychainError(
                .authFailed,
                "too many wrong passwords of the keychain: the next one is looked at in \(seconds) s; this one does not count"
            )
        }
    }
}
