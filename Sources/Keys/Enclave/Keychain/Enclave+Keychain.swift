import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing

/// Requests with the password of a file keychain, handled one at a time and apart from passcodes.
///
/// They share their turn with application passwords. Programs can send these passwords without limit, and a header may
/// demand a derivation of seconds. None of that makes the person wait for the passcode. So at most two derivations use
/// Argon2id's memory at once.
extension Enclave {
    /// The state that requests with a password share, one after the other.
    struct PasswordTurn: Sendable {
        /// The measured parameters for rows, of which a program requests many at once.
        var programs: PasswordParameters?
        /// The measured parameters for file keychains, which are unlocked rarely.
        var keychains: PasswordParameters?
        var tries = KeychainTries()
    }

    /// The keys of an unlocked keychain; the cause `locked` if it is not unlocked.
    func openKeychain(_ store: StoreIdentifier) throws(KeychainError) -> StoreKeys {
        let keychain = try stores.withLock { stores throws(KeychainError) in
            try stores.checkIsNoKeybag(store)
            return stores.keychains[store]
        }
        guard let keychain else {
            throw KeychainError(cause: .locked, "the keychain is locked; unlock it with its password")
        }
        return keychain.keys
    }

    func create(
        _ password: SecretBytes, _ attempt: UnlockAttempts.Attempt, _ turn: inout PasswordTurn
    ) throws(KeychainError) -> KeychainReport {
        try stores.withLock { stores throws(KeychainError) in
            guard stores.keychains[attempt.store] == nil else {
                throw KeychainError(.param, "there is a keychain of this identifier, and it is unlocked")
            }
        }
        let terms = KeychainHeader.Terms(store: attempt.store, parameters: try parameters(&turn))
        let master = KeyDerivation.randomKey()
        var report = KeychainReport()
        report.header = try KeychainPasswordKeys(password, terms, settings.passwordHash).header(terms, wrapping: master)
        try unlock(terms, master, attempt)
        return report
    }

    func unlock(
        _ terms: KeychainHeader.Terms, _ master: SecretBytes, _ attempt: UnlockAttempts.Attempt
    ) throws(KeychainError) {
        let keychain = KeychainCustodian(terms, master: master)
        try stores.withLock { stores throws(KeychainError) in try stores.unlock(keychain, attempt) }
    }

    /// Checks the password, and runs `body` with the master key if it is right.
    func whenRight(
        _ password: SecretBytes, _ header: KeychainHeader, _ store: StoreIdentifier, _ origin: PasscodeOrigin,
        _ turn: inout PasswordTurn,
        _ body: (_ turn: inout PasswordTurn, _ master: SecretBytes) throws(KeychainError) -> Void
    ) throws(KeychainError) -> KeychainReport {
        guard header.store == store else {
            throw KeychainError(
                .invalidKeychain, "the header is that of another keychain; the file was put together of two")
        }
        let (target, clock) = (KeychainTries.Target(header), settings.clock)
        var report = KeychainReport()
        if turn.tries.delay(of: target, for: origin, now: clock.now()) > 0 {
            report.outcome = .delayed
        } else {
            let keys = try KeychainPasswordKeys(password, header.terms, settings.passwordHash)
            if keys.fit(header) {
                turn.tries.succeed(target)
                try body(&turn, try keys.open(header))
            } else {
                turn.tries.fail(target, from: origin, clock: clock)
                report.outcome = .wrong
            }
        }
        report.failures = turn.tries.failures(of: target, from: origin)
        report.delay = turn.tries.delay(of: target, for: origin, now: clock.now())
        return report
    }

    /// Checks whether `secret` is the keychain's password, and if not, whether it is the passcode.
    ///
    /// If it is neither, it counts as a wrong try of both. Otherwise an attacker would get more tries of the passcode
    /// by way of keychains. A right password does not count as a wrong passcode, nor the reverse.
    func verify(
        _ secret: SecretBytes, _ header: KeychainHeader, _ store: StoreIdentifier, _ origin: PasscodeOrigin,
        orPasscodeOf keybag: KeybagCustodian, _ turn: inout PasswordTurn
    ) throws(KeychainError) -> KeychainReport {
        guard keybag.device.hasPasscode else {
            return try whenRight(secret, header, store, origin, &turn) { _, _ in }
        }
        let (target, clock) = (KeychainTries.Target(header), settings.clock)
        let former = turn.tries
        var report = try whenRight(secret, header, store, origin, &turn) { _, _ in }
        guard report.outcome != .done else { return report }
        // If this fails, the wrong password stays counted.
        let passcode = try passcodeTurn.withLock { _ throws(KeychainError) in
            keybag.report(try keybag.verifyPasscode(secret, from: origin), for: origin)
        }
        switch passcode.outcome {
        case .done:
            turn.tries = former
            report = KeychainReport()
            report.isPasscode = true
            return report
        case .wrong: report.outcome = .wrong
        case .delayed: break
        }
        report.failures = max(turn.tries.failures(of: target, from: origin), passcode.failures)
        // The next try is checked as soon as one of the two may be tried.
        report.delay = min(turn.tries.delay(of: target, for: origin, now: clock.now()), passcode.delay)
        return report
    }

    /// The parameters for a keychain, measured once, so that making a keychain costs one derivation.
    func parameters(
        atLeast former: PasswordParameters = .least, _ turn: inout PasswordTurn
    ) throws(KeychainError) -> PasswordParameters {
        let measured =
            if let known = turn.keychains { known } else { try settings.passwordHash.calibrated() }
        turn.keychains = measured
        return former.cost > measured.cost ? former : measured
    }
}
