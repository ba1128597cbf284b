import ChatelaineModel
import EnclaveProtocol

/// Requests about file keychains, which the custodian keeps in memory only.
///
/// A restarted custodian has none of them unlocked. Requests then hear that they are locked, and only their password
/// opens them.
extension EnclaveConnection {
    /// Makes the keys of a new keychain, which is then unlocked; returns the header for its file.
    ///
    /// - Parameter password: the descriptor to read the password from. It stays the caller's, and is not read here.
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

    /// Sets another password for the same keys.
    ///
    /// Where the report is `done`, its header has to be written to the file, and counts from then on.
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

    /// Checks whether a secret is the keychain's password or the passcode of that store.
    ///
    /// A secret that is neither counts as a wrong try of both.
    func verifyKeychainSecret(
        _ header: KeychainHeader, secret: Int32, orPasscodeOf store: StoreIdentifier, from origin: PasscodeOrigin
    ) throws(KeychainError) -> KeychainReport {
        try callWithPasswords(
            .verifyKeychainSecret(header, origin, orPasscodeOf: store, in: header.store), [secret])
    }

    /// The keys of an unlocked keychain; throws the cause `locked` for any other.
    func openKeychain(_ store: StoreIdentifier) throws(KeychainError) -> StoreKeys {
        guard case .store(let keys) = try call(.openKeychain(store)) else { throw Self.confused }
        return keys
    }

    /// Locks a keychain.
    ///
    /// On return its keys are gone here as well, except those of operations under way.
    func lockKeychain(_ store: StoreIdentifier) throws(KeychainError) {
        monitor.locked { unlocks.noteLock(of: store) }
        defer { holders.forgetKeys() }
        // A custodian that has ended has nothing unlocked.
        guard isRunning else { return }
        guard case .done = try call(.closeStore(store)) else { throw Self.confused }
    }

    /// Runs an unlock.
    ///
    /// If the keychain is locked meanwhile, even while the unlock waits for its turn, it is locked once more and the
    /// unlock fails.
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

    /// Sends a request with passwords of a keychain, on a channel of its own.
    ///
    /// Two run at a time; others wait here for their turn.
    ///
    /// It is sent once: if the custodian goes away meanwhile, nobody knows whether it was carried out.
    private func callWithPasswords(
        _ request: EnclaveRequest, _ passwords: [Int32]
    ) throws(KeychainError) -> KeychainReport {
        keychainPasswords.wait()
        defer { keychainPasswords.signal() }
        let taken = try takeAlone(for: request)
        // From now on locked keys have to be wiped from stacks.
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
