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
        guard let header = try callWithPasswords(CreateKeychain(store), [password]).header else {
            throw Self.confused
        }
        return header
    }

    func unlockKeychain(
        _ header: KeychainHeader, password: Int32, from origin: PasscodeOrigin
    ) throws(KeychainError) -> KeychainReport {
        try unlocking(header.store) { attempt throws(KeychainError) in
            try callWithPasswords(UnlockKeychain(header, origin, in: header.store), [password], attempt)
        }
    }

    /// Sets another password for the same keys.
    ///
    /// Where the report is `done`, its header has to be written to the file, and counts from then on.
    func changeKeychainPassword(
        _ header: KeychainHeader, password: Int32, to new: Int32, from origin: PasscodeOrigin
    ) throws(KeychainError) -> KeychainReport {
        let report = try unlocking(header.store) { attempt throws(KeychainError) in
            try callWithPasswords(ChangeKeychainPassword(header, origin, in: header.store), [password, new], attempt)
        }
        guard (report.header != nil) == (report.outcome == .done) else { throw Self.confused }
        return report
    }

    func verifyKeychainPassword(
        _ header: KeychainHeader, password: Int32, from origin: PasscodeOrigin
    ) throws(KeychainError) -> KeychainReport {
        try callWithPasswords(VerifyKeychainPassword(header, origin, in: header.store), [password])
    }

    /// Checks whether a secret is the keychain's password or the passcode of that store.
    ///
    /// A secret that is neither counts as a wrong try of both.
    func verifyKeychainSecret(
        _ header: KeychainHeader, secret: Int32, orPasscodeOf store: StoreIdentifier, from origin: PasscodeOrigin
    ) throws(KeychainError) -> KeychainReport {
        try callWithPasswords(
            VerifyKeychainSecret(header, origin, orPasscodeOf: store, in: header.store), [secret])
    }

    /// The keys of an unlocked keychain; throws the cause `locked` for any other.
    func openKeychain(_ store: StoreIdentifier) throws(KeychainError) -> StoreKeys {
        try call(OpenKeychain(store))
    }

    /// Locks a keychain.
    ///
    /// On return its keys are gone here as well, except those of operations under way.
    func lockKeychain(_ store: StoreIdentifier) throws(KeychainError) {
        monitor.withLock { _ in unlocks.noteLock(of: store) }
        keychainPasswords.reconsider()
        defer { holders.forgetKeys() }
        // A custodian that has ended has nothing unlocked.
        guard isRunning else { return }
        _ = try call(CloseStore(store))
    }

    /// Runs an unlock.
    ///
    /// If the keychain is locked meanwhile, the unlock fails. One that waits for its place does so at once, and after
    /// one that was carried out the keychain is locked once more.
    private func unlocking(
        _ store: StoreIdentifier, _ body: (UnlockAttempts.Attempt) throws(KeychainError) -> KeychainReport
    ) throws(KeychainError) -> KeychainReport {
        let attempt = monitor.withLock { _ in unlocks.begin(store) }
        defer { monitor.withLock { _ in unlocks.end(attempt) } }
        let report = Result { () throws(KeychainError) in try body(attempt) }
        if case .failure(let error) = check(attempt) {
            if case .success = report { try lockKeychain(store) }
            throw error
        }
        return try report.get()
    }

    /// Fails where the keychain was locked since the attempt began.
    private func check(_ attempt: UnlockAttempts.Attempt) -> Result<Void, KeychainError> {
        monitor.withLock { _ in Result { () throws(KeychainError) in try unlocks.check(attempt) } }
    }

    /// Sends a request with passwords of a keychain, on a channel of its own.
    ///
    /// Two run at a time; others wait here, and programs share these places.
    ///
    /// - Parameter attempt: the unlock of which it is a part. A lock ends its wait.
    private func callWithPasswords(
        _ request: some EnclaveKeychainRequest, _ passwords: [Int32], _ attempt: UnlockAttempts.Attempt? = nil
    ) throws(KeychainError) -> KeychainReport {
        try keychainPasswords.hold(
            for: Originator.owner,
            while: {
                guard let attempt, case .failure = check(attempt) else { return true }
                return false
            }
        ) { () throws(KeychainError) in try send(request, with: passwords) }
    }

    /// Sends it once: if the custodian goes away meanwhile, nobody knows whether it was carried out.
    private func send(
        _ request: some EnclaveKeychainRequest, with passwords: [Int32]
    ) throws(KeychainError) -> KeychainReport {
        let taken = try takeAlone(for: request.neededStore)
        // From now on locked keys have to be wiped from stacks.
        notePasscode()
        do {
            return try exchange(request, on: taken.channel, descriptors: passwords).get()
        } catch let unsent as Unsent {
            throw unsent.reason
        } catch let error as KeychainError {
            throw error
        } catch {
            lose(taken.generation, because: error)
            throw KeychainError(
                .notAvailable,
                "the key custodian went away while it looked at the password of a keychain, which is locked now; try again"
            )
        }
    }
}
