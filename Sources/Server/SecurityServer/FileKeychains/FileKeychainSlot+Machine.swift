import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import StoreEngine
import SystemCalls

/// A keychain of the machine.
///
/// The daemon of root opens it by its key file whenever it is used. For other users it is locked, and nobody is asked.
extension FileKeychainSlot {
    /// The origin of the tries with the key file, which is no program's.
    private static let origin = PasscodeOrigin.program(Bytes16(repeating: 3))

    private var isServed: Bool { path.place == .machine && machine.isServed }

    /// Opens the keychain where this daemon serves it.
    ///
    /// Where that fails, ``refusal(isChange:)`` has the reason.
    func openByItself() {
        guard isServed, !keychain.isUnlocked else { return }
        // Every search list names the system keychain, which most machines never make.
        guard [keychain.path, path.text].contains(where: { FileIdentity(at: $0) != nil }) else {
            return keyProblem.withLock { $0 = nil }
        }
        do throws(KeychainError) {
            try machine.prepare()
            if try machine.restore(path) {
                let report = try machine.key.withFile { (file) throws(KeychainError) in
                    try unlockOnce(password: file, from: Self.origin).report
                }
                guard report.outcome == .done else { throw machine.key.isOfAnother }
                publish()
            }
            keyProblem.withLock { $0 = nil }
        } catch {
            keyProblem.withLock { $0 = error }
            log.error(
                "a keychain of the machine\u{2019}s does not open", ["keychain": path.text, "reason": error.reason])
        }
    }

    /// Unlocks the keychain by its key file and ignores the given password, since the keychain has none.
    func unlockByKey() throws(KeychainError) -> KeychainReport {
        if isServed { try makeIfMissing() }
        openByItself()
        guard keychain.isUnlocked else {
            // Reports a missing keychain as missing.
            _ = try state()
            throw refusal(isChange: false) ?? Self.lockedMeanwhile
        }
        return KeychainReport()
    }

    /// Makes the system keychain when a program of root needs it.
    func makeIfMissing() throws(KeychainError) {
        guard path.place == .machine else { return }
        try requireServed()
        guard path.text.hasSuffix("/\(MachineKeychains.systemKeychain)"), FileIdentity(at: keychain.path) == nil else {
            return
        }
        do throws(KeychainError) { _ = try createByKey() } catch {
            guard error.cause == .duplicate else { throw error }
        }
    }

    func createByKey() throws(KeychainError) -> KeychainReport {
        try machine.prepare()
        guard try !machine.restore(path) else {
            throw KeychainError(.duplicateKeychain, "\(path.text) is there already; use it, or delete it")
        }
        try machine.prepareKey()
        let report = try machine.key.withFile { (file) throws(KeychainError) in try make(password: file) }
        keyProblem.withLock { $0 = nil }
        var settings = KeychainSettings()
        (settings.lockInterval, settings.locksOnSleep) = (KeychainSettings.never, false)
        try setSettings(settings)
        return report
    }

    /// Publishes a copy where other users read it.
    ///
    /// Where that fails, they read the former copy until the next change.
    func publish() {
        guard isServed else { return }
        do throws(KeychainError) {
            guard let replaced = try keychain.publish(to: path.text) else { return }
            log.warning(
                "a file stood in the place of what is published of a keychain, and has another name now",
                ["keychain": path.text, "file": replaced])
        } catch {
            log.error(
                "a change of the machine\u{2019}s keychain is not to be seen by other users",
                ["keychain": path.text, "reason": error.reason])
        }
    }

    // MARK: Who may not

    /// Why an operation that needs the unlocked keychain fails; nil for keychains that a person may unlock.
    func refusal(isChange: Bool) -> KeychainError? {
        guard path.place == .machine else { return nil }
        if let problem = keyProblem.withLock({ $0 }) { return problem }
        if isServed { return Self.lockedMeanwhile }
        guard !isChange else { return ofRoot }
        return KeychainError(
            .authFailed, "\(path.text) is the machine\u{2019}s: programs of root\u{2019}s alone read secrets in it")
    }

    func requireServed() throws(KeychainError) {
        if path.place == .machine, !machine.isServed { throw ofRoot }
    }

    /// Makes sure that nobody else works on a keychain of the machine, before its file is replaced.
    func prepareMachine() throws(KeychainError) {
        try requireServed()
        if isServed { try machine.prepare() }
    }

    /// Throws for keychains of the machine, where a password is set aside and proves nothing, and which their key file
    /// would not open any more after a change of it.
    func requireOwnPassword() throws(KeychainError) {
        try requireServed()
        guard path.place != .machine else {
            throw KeychainError(.wrPerm, "\(path.text) has no password: its key file opens it, and stays what it is")
        }
    }

    private var ofRoot: KeychainError {
        KeychainError(.wrPerm, "\(path.text) is the machine\u{2019}s: programs of root\u{2019}s alone change it")
    }
}
