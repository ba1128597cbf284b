import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import Glibc
import SystemCalls

/// The login keychain, which follows the passcode: the passcode that unlocks the device is tried as its password too.
///
/// This happens after the reply, on one thread and in the order of the requests. So no login waits for it or fails
/// because of it.
final class LoginKeychain: Sendable {
    /// The origin of these tries, which is no program's.
    ///
    /// So a login keychain with another password delays nobody who types a password.
    private static let origin = PasscodeOrigin.program(Bytes16(repeating: 2))
    /// The number of jobs that wait.
    ///
    /// Each follows a right passcode and takes less than a second.
    private static let maximumJobs = 16
    /// The tries of a change, since a lock may come between two steps.
    private static let maximumTries = 3

    private struct Job: Sendable {
        /// The passcode; for a change the former one and the new one.
        let files: [Int32]
        /// Whether somebody logs in.
        ///
        /// A login makes a login keychain even if none was needed before.
        let isLogin: Bool
        /// How often everything had been locked when the job came.
        let lockings: UInt64
        /// The number of the passcode (``PasscodePassword/passcodes``).
        let passcodes: UInt64
        /// Whether the passcode has changed.
        var isChange: Bool { files.count == 2 }
    }

    private struct State: Sendable {
        var jobs: [Job] = []
        var isRunning = false
        var lockings: UInt64 = 0
        /// The header that a passcode does not open, so that this costs one try, and not one for each login.
        var refused: Refusal?
    }

    /// A header, by its check value, and the number of a passcode that does not open it.
    private struct Refusal: Equatable {
        let check: [UInt8]
        let passcodes: UInt64
    }

    private let state = AdaptiveMutex(State())

    /// Whether nothing is under way.
    var isAtRest: Bool { state.withLock { !$0.isRunning } }

    /// Makes every earlier offer void.
    ///
    /// Call it before keychains are locked.
    func noteLock() { state.withLock { $0.lockings += 1 } }

    /// The path of the login keychain, whether it exists or not.
    func path(_ services: Services) throws(KeychainError) -> KeychainPath {
        let named = try services.keychainPreferences.loginKeychain(of: .user)
        let usual = "\(services.deployment.keychainsFolder)/\(KeychainPreferences.loginKeychain)-db"
        return try services.fileKeychains.path(named?.text ?? usual)
    }

    /// Notes that an item needs a default keychain and there is none.
    ///
    /// The next unlock makes one, whatever was deleted before.
    func noteNeed(_ services: Services) {
        let preferences = services.keychainPreferences
        do throws(KeychainError) {
            let named = try preferences.loginKeychain(of: .user)
            let hasGivenUp = try preferences.hasGivenUpLogin()
            guard named == nil || hasGivenUp else { return }
            try preferences.setLoginKeychain(named?.text ?? KeychainPreferences.loginKeychain, of: .user)
        } catch { services.log.debug("the login keychain was not named", ["reason": error.reason]) }
    }

    /// Takes copies of the descriptors of a right passcode, and returns at once.
    ///
    /// - Parameters:
    ///   - files: the passcode; for a change the former one and the new one.
    ///   - isLogin: whether somebody logs in with it.
    func offer(_ files: [Int32], isLogin: Bool = false, _ services: Services) {
        let copies = files.map { fcntl($0, F_DUPFD_CLOEXEC, 3) }
        let passcodes = services.fileKeychains.passcode.passcodes
        let hasCopied = copies.allSatisfy { $0 >= 0 }
        let (isTaken, starts) = state.withLock { state in
            guard hasCopied, state.jobs.count < Self.maximumJobs else { return (false, false) }
            state.jobs.append(
                Job(files: copies, isLogin: isLogin, lockings: state.lockings, passcodes: passcodes))
            defer { state.isRunning = true }
            return (true, !state.isRunning)
        }
        guard isTaken else {
            Self.close(copies)
            return services.log.warning("the login keychain was not offered a passcode: too much waits or is open")
        }
        guard starts, !Worker.start({ [self] in run(services) }) else { return }
        let left = state.withLock { state in
            defer { (state.jobs, state.isRunning) = ([], false) }
            return state.jobs
        }
        for job in left { Self.close(job.files) }
        services.log.error("no thread can be had for the login keychain")
    }

    private func run(_ services: Services) {
        while let job = next() {
            do throws(KeychainError) { try carryOut(job, services) } catch {
                services.log.debug("the login keychain stays as it is", ["reason": error.reason])
            }
            Self.close(job.files)
        }
    }

    private func next() -> Job? {
        state.withLock { state in
            guard !state.jobs.isEmpty else {
                state.isRunning = false
                return nil
            }
            return state.jobs.removeFirst()
        }
    }

    private func carryOut(_ job: Job, _ services: Services) throws(KeychainError) {
        let preferences = services.keychainPreferences
        let path = try path(services)
        // For a keychain elsewhere there is no program that could lend its file.
        guard path.place == .own else { return }
        let isThere = FileIdentity(at: path.text) != nil
        if isThere, job.isChange { return try follow(job, path, services) }
        let isNamed = try preferences.loginKeychain(of: .user) != nil
        let hasGivenUp = try preferences.hasGivenUpLogin()
        let isWanted = !job.isChange && !hasGivenUp && (isNamed || job.isLogin)
        guard isThere else {
            if isWanted { try create(job, path, services) }
            return
        }
        let isOpen = try unlock(job, path, services)
        // The process that made the keychain ended before the preferences named it.
        if isWanted, !isNamed, isOpen { try note(new: path, services) }
    }

    /// Tries the passcode as the password.
    ///
    /// - Returns: whether the keychain is unlocked and the passcode is its password. An earlier job may have
    ///   unlocked it.
    private func unlock(_ job: Job, _ path: KeychainPath, _ services: Services) throws(KeychainError) -> Bool {
        var isOpen = false
        let outcome = try services.fileKeychains.withKeychain(at: path) {
            (keychain) throws(KeychainError) -> PasscodeOutcome? in
            let lockings = keychain.lockings
            // A restarted custodian has forgotten the keychain.
            try keychain.refresh()
            let check = try keychain.passwordCheck()
            // From here on a lock reaches the keychain itself.
            let isWanted = state.withLock { state in
                state.lockings == job.lockings && state.refused != Refusal(check: check, passcodes: job.passcodes)
            }
            guard isWanted else { return nil }
            let passcode = services.fileKeychains.passcode
            if keychain.keychain.isUnlocked {
                isOpen = passcode.isPassword(of: check)
                return nil
            }
            let unlocking = try keychain.unlockOnce(password: job.files[0], from: Self.origin, since: lockings)
            // Another file may have been at the path when `check` was read, and others may have unlocked the keychain.
            guard let compared = unlocking.header?.check else {
                isOpen = passcode.isPassword(of: check)
                return nil
            }
            let outcome = unlocking.report.outcome
            isOpen = outcome == .done
            switch outcome {
            case .done: passcode.note(compared, since: job.passcodes)
            case .wrong: state.withLock { $0.refused = Refusal(check: compared, passcodes: job.passcodes) }
            case .delayed: break
            }
            return outcome
        }
        switch outcome {
        case .done?: services.log.notice("the login keychain was unlocked", ["keychain": path.text])
        case .wrong?: services.log.notice("the login keychain has another password", ["keychain": path.text])
        case .delayed?, nil: break
        }
        return isOpen
    }

    private func create(_ job: Job, _ path: KeychainPath, _ services: Services) throws(KeychainError) {
        let preferences = services.keychainPreferences
        try preferences.checkRoom(for: path.text)
        let isMade = try services.fileKeychains.withKeychain(at: path) { (keychain) throws(KeychainError) in
            let lockings = keychain.lockings
            guard state.withLock({ $0.lockings == job.lockings }) else { return false }
            let report = try keychain.create(password: job.files[0], since: lockings)
            if let header = report.header {
                services.fileKeychains.passcode.note(header.check, since: job.passcodes)
            }
            return true
        }
        guard isMade else { return }
        try note(new: path, services)
        services.log.notice("the login keychain was made", ["keychain": path.text])
    }

    /// Adds a new login keychain to the search list, and makes it the default where there is none.
    ///
    /// Its name as the login keychain is written last, since that says that all of this was done.
    func note(new path: KeychainPath, _ services: Services) throws(KeychainError) {
        let preferences = services.keychainPreferences
        try preferences.note(new: path.text)
        do throws(KeychainError) { _ = try preferences.defaultKeychain(of: .user) } catch {
            guard error.status == .noDefaultKeychain else { throw error }
            try preferences.setDefaultKeychain(path.text, of: .user)
        }
        if try preferences.loginKeychain(of: .user) == nil { try preferences.setLoginKeychain(path.text, of: .user) }
    }

    /// Changes the keychain's password to the new passcode.
    ///
    /// A locked keychain is locked again, so that a change of the passcode opens nothing.
    private func follow(_ job: Job, _ path: KeychainPath, _ services: Services) throws(KeychainError) {
        try services.fileKeychains.withKeychain(at: path) { (keychain) throws(KeychainError) in
            var tries = 0
            while true {
                try keychain.refresh()
                keychain.lockIfIdle()
                // A lock from here on ends the change, and the next try finds it.
                let lockings = keychain.lockings
                let wasUnlocked = keychain.keychain.isUnlocked
                tries += 1
                do throws(KeychainError) {
                    let report = try keychain.changePassword(
                        job.files[0], to: job.files[1], from: Self.origin, since: lockings)
                    if report.outcome == .done, let header = report.header {
                        services.fileKeychains.passcode.note(header.check, since: job.passcodes)
                    }
                    if !wasUnlocked { try keychain.lock() }
                    guard report.outcome == .done else { return }
                    return services.log.notice("the login keychain has the new password", ["keychain": path.text])
                } catch {
                    if error.cause == .locked, tries < Self.maximumTries { continue }
                    // The keychain may have been opened before the disk failed.
                    if !wasUnlocked { try? keychain.lock() }
                    throw error
                }
            }
        }
    }

    private static func close(_ files: [Int32]) { for file in files where file >= 0 { _ = Glibc.close(file) } }
}
