import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import FileKeychains
import StoreEngine
import SystemCalls

/// How a file keychain locks by itself.
extension FileKeychainSlot {
    /// Restarts the idle time, or locks the keychain where it is over.
    ///
    /// Every call that uses the items calls this first.
    func noteUse() {
        timer.withLock { $0.use(now: clock()) }
        lockIfIdle()
    }

    /// Locks the keychain where nobody has used it for as long as its settings say.
    func lockIfIdle() { if dropIdleKeys() { Originator.asDaemon { settle() } } }

    /// The first half of ``lockIfIdle()``, which waits for nothing; whether the second half has to follow.
    func dropIdleKeys() -> Bool {
        dropIdleFile()
        guard isIdle else { return false }
        // Somebody who has unlocked the keychain meanwhile has begun its time anew.
        return dropping.withLock { _ in isIdle && drop() }
    }

    private var isIdle: Bool { timer.withLock { $0.isOver(now: clock()) } && keychain.isUnlocked }

    /// - Returns: true, since the second half has to follow.
    private func drop() -> Bool {
        do throws(KeychainError) {
            try tellCustodian(isLocking: true, isSettling: true)
            log.notice("a keychain was locked", ["because": "it was not used", "keychain": path.text])
        } catch {
            log.error("a keychain did not lock by itself", ["keychain": path.text, "reason": error.reason])
        }
        return true
    }

    /// The first half of a lock that an event of the system causes.
    func dropKeysToSettle() throws(KeychainError) {
        try dropping.withLock { (_) throws(KeychainError) in
            try tellCustodian(isLocking: true, isSettling: true)
        }
    }

    /// The second half of ``dropIdleKeys()`` or ``dropKeysToSettle()`` on another thread, unless somebody has begun it
    /// since.
    ///
    /// A keychain that was locked and unlocked meanwhile stays unlocked.
    func settleWhatIsDue() {
        entering.withLock { _ in if takeDueSettling() { Originator.asDaemon { settle() } } }
    }

    /// When the idle time of the keychain, or that of its lent file, is over; nil for never.
    var deadline: Double? {
        let isTimed = keychain.isUnlocked && !isSettling
        return [isTimed ? timer.withLock { $0.deadline } : nil, fileDeadline].compactMap { $0 }.min()
    }

    /// Whether the keychain locks with that event; keychains of the machine are no part of a session.
    func locks(with event: SystemEvent?) -> Bool {
        switch event {
        case nil: true
        case .sleep?: timer.withLock { $0.locksOnSleep }
        default: path.place != .machine
        }
    }

    func setSettings(_ settings: KeychainSettings) throws(KeychainError) {
        try requireServed()
        noteUse()
        _ = try state()
        try entering.withLock { (_) throws(KeychainError) in
            try keychain.replaceSettings(settings)
            beginTimer(settings)
        }
        publish()
    }

    /// Starts the idle time by the settings in the file, or by those of a new keychain where somebody has tampered with
    /// them.
    func beginTimer() {
        do throws(KeychainError) { beginTimer(try keychain.settings()) } catch {
            log.warning("the settings of a keychain do not count", ["keychain": path.text, "reason": error.reason])
            beginTimer(KeychainSettings())
        }
    }

    func beginTimer(_ settings: KeychainSettings) {
        timer.withLock { $0.begin(settings, now: clock()) }
        timed()
    }
}
