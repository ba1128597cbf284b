import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import FileKeychains
import StoreEngine
import SystemCalls

/// One file keychain, together with its keys in the custodian.
///
/// A lock must overtake everything that was asked for before it, so it waits for no turn. It has the custodian forget
/// the keys, which fails an unlock under way, and only then waits to complete the file.
final class FileKeychainSlot: Sendable {
    private struct Keys {
        /// The keychain's own name, set once the custodian is asked to open it.
        var store: StoreIdentifier?
        var isOpen = false
        /// How often the keychain was locked.
        var lockings: UInt64 = 0
        /// Whether they are gone because of the idle time or of an event, and the file is still to be completed.
        var isSettling = false
    }

    let path: KeychainPath
    private let folder: String
    let machine: MachineKeychains
    /// Why the key file of a machine keychain does not open it.
    let keyProblem = AdaptiveMutex<KeychainError?>(nil)
    let keychain: FileKeychain
    let enclave: EnclaveConnection
    private let passcode: PasscodePassword
    let clock: @Sendable () -> Double
    let timed: @Sendable () -> Void
    private let noteOpening: @Sendable () -> Void
    let log: Log
    private let events: KeychainEventSubscriptions
    /// The lock state that subscribers were last told.
    private let toldUnlocked = AdaptiveMutex(false)
    let timer = AdaptiveMutex(KeychainTimer())
    /// The open keychain, for the next request.
    let current = AdaptiveMutex<OpenedKeychain?>(nil)
    /// Held while a part of the items is checked.
    let checking = AdaptiveMutex<Void>(())
    private let keys = AdaptiveMutex(Keys())
    /// Held while the custodian is told to forget the keys, so that it is told before the keychain is unlocked again.
    let dropping = AdaptiveMutex<Void>(())
    /// The file of a keychain elsewhere, until somebody unlocks the keychain.
    let lent = AdaptiveMutex<(file: LentFile, since: Double)?>(nil)
    /// Held while the keychain is opened or its password changes; a lock does not wait for it.
    let entering = AdaptiveMutex<Void>(())

    /// - Parameters:
    ///   - clock: seconds that go on while the machine sleeps.
    ///   - timed: called when the time begins after which the keychain locks by itself.
    ///   - noteOpening: called when the custodian has found a password right that no dialog asked for.
    init(
        _ path: KeychainPath, folder: String, machine: MachineKeychains, places: FileKeychainPlaces,
        enclave: EnclaveConnection, passcode: PasscodePassword,
        events: KeychainEventSubscriptions, log: Log, clock: @escaping @Sendable () -> Double,
        timed: @escaping @Sendable () -> Void, noteOpening: @escaping @Sendable () -> Void
    ) {
        (self.clock, self.timed, self.noteOpening) = (clock, timed, noteOpening)
        self.path = path
        self.folder = folder
        self.machine = machine
        self.enclave = enclave
        self.passcode = passcode
        self.events = events
        self.log = log
        let served = machine.served(path)
        keychain = FileKeychain(
            served?.file ?? path.text, isElsewhere: served == nil && path.place != .own,
            places: served?.places ?? places, keys: FileKeychainKeySource(enclave: enclave)
        ) { event in
            log.warning("file keychain: \(event)", ["keychain": path.text])
        }
    }

    var isAtRest: Bool { keychain.isAtRest && lent.withLock { $0 == nil } }

    // MARK: Opening

    /// How often the keychain was locked; an operation that began before a later lock comes too late.
    ///
    /// It waits for a lock under way. The custodian would otherwise carry out that lock after an unlock that has seen
    /// its number.
    var lockings: UInt64 { dropping.withLock { _ in keys.withLock { $0.lockings } } }

    /// A value that differs between passwords of the keychain; no secret.
    func passwordCheck() throws(KeychainError) -> [UInt8] {
        try KeychainHeader(decoding: try keychain.header().header, path: path.text).check
    }

    /// - Parameters:
    ///   - password: the descriptor that the password is read from.
    ///   - earlier: ``lockings`` when the call was requested; nil for now.
    /// - Returns: a report with the header of the new keychain.
    func create(password: Int32, since earlier: UInt64? = nil) throws(KeychainError) -> KeychainReport {
        try requireServed()
        guard path.place != .machine else { return try createByKey() }
        return try make(password: password, since: earlier)
    }

    func make(password: Int32, since earlier: UInt64? = nil) throws(KeychainError) -> KeychainReport {
        let lockings = earlier ?? self.lockings
        let made = AdaptiveMutex<KeychainHeader?>(nil)
        try entering.withLock { (_) throws(KeychainError) in
            if path.place == .own {
                try RuntimeFolder(folder).prepare()
                try RuntimeFolder(folder).settle()
            }
            // If the file of the open keychain was removed, there is room for another.
            if keychain.isUnlocked, keychain.isElsewhere ? !keychain.isInPlace : FileIdentity(at: keychain.path) == nil
            {
                try dropKeys(isLocking: false)
                settle()
            }
            try keepingNoKeys { () throws(KeychainError) in
                let make: @Sendable (StoreIdentifier) throws(KeychainError) -> [UInt8] = {
                    [self] (store) throws(KeychainError) in
                    try begin(store, lockings)
                    let header = try enclave.createKeychain(store, password: password)
                    keys.withLock { $0.isOpen = true }
                    made.withLock { $0 = header }
                    return header.encoded
                }
                if let lent = try requiredFile() {
                    try keychain.create(in: lent, make)
                    dropFile()
                } else {
                    try keychain.create(make)
                }
            }
            beginTimer(KeychainSettings())
            // Subscribers learn of it from the event about the search list.
            toldUnlocked.withLock { $0 = true }
        }
        // A keychain that was locked meanwhile is made all the same, and its maker has to announce it.
        var report = KeychainReport()
        report.header = made.withLock { $0 }
        return report
    }

    /// Unlocks the keychain, or leaves it unlocked, whatever the password.
    func unlock(
        password: Int32, from origin: PasscodeOrigin, since earlier: UInt64? = nil
    ) throws(KeychainError) -> KeychainReport {
        if path.place == .machine { return try unlockByKey() }
        return try unlockOnce(password: password, from: origin, since: earlier).report
    }

    /// The result of an unlock with a password.
    struct Unlocking {
        let report: KeychainReport
        /// The header that the custodian has compared the password with; nil where the keychain was open, and any
        /// password did.
        let header: KeychainHeader?
        /// The opening that the password has made; nil where it made none, or none is left of it.
        let epoch: Int?
    }

    func unlockOnce(
        password: Int32, from origin: PasscodeOrigin, since earlier: UInt64? = nil
    ) throws(KeychainError) -> Unlocking {
        noteUse()
        let lockings = earlier ?? self.lockings
        let unlocking = try entering.withLock { (_) throws(KeychainError) in
            var compared: KeychainHeader?
            let report = try open(since: lockings) { (header) throws(KeychainError) in
                compared = header
                return try enclave.unlockKeychain(header, password: password, from: origin)
            }
            // Nobody else opens the keychain before the lock is released.
            let epoch = report?.outcome == .done ? present()?.epoch : nil
            return Unlocking(report: report ?? KeychainReport(), header: compared, epoch: epoch)
        }
        try checkLock(since: lockings)
        noteOutcome(of: unlocking.header == nil ? nil : unlocking.report, from: origin)
        // Where the file does not open, the next use reports the reason.
        if unlocking.report.outcome == .done { _ = try? opened() }
        return unlocking
    }

    /// Changes the password, and unlocks the keychain where it is locked.
    func changePassword(
        _ password: Int32, to new: Int32, from origin: PasscodeOrigin, since lockings: UInt64? = nil
    ) throws(KeychainError) -> KeychainReport {
        try requireOwnPassword()
        noteUse()
        let lockings = lockings ?? self.lockings
        let report = try entering.withLock { (_) throws(KeychainError) in
            let change = { [enclave] (header: KeychainHeader) throws(KeychainError) in
                try enclave.changeKeychainPassword(header, password: password, to: new, from: origin)
            }
            let report =
                if let report = try open(since: lockings, change) { report } else {
                    try change(try KeychainHeader(decoding: try keychain.header().header, path: path.text))
                }
            if let header = report.header { try keychain.replaceHeader(header.encoded) }
            if report.outcome == .done { post(.passwordChanged) }
            return report
        }
        noteOutcome(of: report, from: origin)
        return report
    }

    /// Tells of a right password; a dialog that took one knows.
    ///
    /// - Parameter report: the custodian's verdict; nil where the keychain was open, and any password did.
    private func noteOutcome(of report: KeychainReport?, from origin: PasscodeOrigin) {
        if report?.outcome == .done, origin != .agent { noteOpening() }
    }

    /// Unlocks the keychain if the custodian's report allows it; nil where it is unlocked already, and nothing was
    /// asked.
    private func open(
        since lockings: UInt64, _ ask: (KeychainHeader) throws(KeychainError) -> KeychainReport
    ) throws(KeychainError) -> KeychainReport? {
        try lockIfForgotten()
        var report: KeychainReport?
        try keepingNoKeys { () throws(KeychainError) in
            _ = try keychain.unlock(lending: lentFile) { (store, header) throws(KeychainError) in
                let header = try KeychainHeader(decoding: header, path: path.text)
                guard header.store == store else {
                    throw KeychainError(
                        .invalidKeychain,
                        "\(path.text) has the header of another keychain; nothing was changed. Put a copy of it back")
                }
                try begin(store, lockings)
                let answer = try ask(header)
                report = answer
                keys.withLock { $0.isOpen = answer.outcome == .done }
                return answer.outcome == .done
            }
        }
        if report?.outcome == .done {
            dropFile()
            beginTimer()
            tellState()
        }
        return report
    }

    /// Notes which keychain the custodian is asked to open, so that a lock reaches it from now on.
    private func begin(_ store: StoreIdentifier, _ lockings: UInt64) throws(KeychainError) {
        let isLate = keys.withLock { keys in
            // The keychain is closed now. A later lock has the file completed again.
            (keys.store, keys.isOpen, keys.isSettling) = (store, false, false)
            return keys.lockings != lockings
        }
        if isLate { throw Self.lockedMeanwhile }
    }

    /// Runs `body`; where the custodian has opened the keychain but `body` fails, has it forget the keys.
    private func keepingNoKeys(_ body: () throws(KeychainError) -> Void) throws(KeychainError) {
        do throws(KeychainError) { try body() } catch {
            if keys.withLock({ $0.isOpen }), !keychain.isUnlocked { try? dropKeys(isLocking: false) }
            throw error
        }
    }

    private func checkLock(since lockings: UInt64) throws(KeychainError) {
        if keys.withLock({ $0.lockings != lockings }) { throw Self.lockedMeanwhile }
    }

    static var lockedMeanwhile: KeychainError {
        KeychainError(
            cause: .locked, "the keychain was locked while it was being unlocked; unlock it again")
    }

    // MARK: Locking

    /// Locks the keychain; on return the keys are gone from both daemons, except for operations under way, and a file
    /// that nobody reads is complete.
    func lock() throws(KeychainError) {
        defer { settle() }
        try dropKeys()
    }

    /// The first half of a lock, which waits for nothing.
    func dropKeys() throws(KeychainError) { try dropKeys(isLocking: true) }

    private func dropKeys(isLocking: Bool) throws(KeychainError) {
        try dropping.withLock { (_) throws(KeychainError) in try tellCustodian(isLocking: isLocking) }
    }

    /// Has the custodian forget the keys.
    ///
    /// Call it under ``dropping``.
    ///
    /// - Parameter isSettling: whether ``settleWhatIsDue()`` follows.
    func tellCustodian(isLocking: Bool, isSettling: Bool = false) throws(KeychainError) {
        let store = keys.withLock { keys in
            if isLocking { keys.lockings += 1 }
            if isSettling { keys.isSettling = true }
            return keys.store
        }
        if let store { try enclave.lockKeychain(store) }
    }

    /// The second half of a lock, which completes the file.
    func settle() {
        timer.withLock { $0.end() }
        _ = takeDueSettling()
        // A request that still has the object finds no keys in it.
        releaseStore()
        awaitCheck()
        keychain.lock { forget($0) }
        releaseStore()
        tellState()
    }

    var isSettling: Bool { keys.withLock { $0.isSettling } }

    /// Whether the file was still to be completed; from now on, it is not.
    func takeDueSettling() -> Bool {
        keys.withLock { keys in
            defer { keys.isSettling = false }
            return keys.isSettling
        }
    }

    /// Forgets the open store, and ends the checks of it.
    private func releaseStore() {
        current.withLock { current in
            current?.store.endChecks()
            current = nil
        }
    }

    /// Locks the keychain where the custodian, which may be another one by now, does not have it open.
    func refresh() throws(KeychainError) {
        guard keychain.isUnlocked else { return }
        try entering.withLock { (_) throws(KeychainError) in try lockIfForgotten() }
    }

    private func lockIfForgotten() throws(KeychainError) {
        guard keychain.isUnlocked, let store = keys.withLock({ $0.store }) else { return }
        do throws(KeychainError) { _ = try enclave.openKeychain(store) } catch {
            guard error.cause == .locked else { throw error }
            Originator.asDaemon { settle() }
        }
    }

    private func forget(_ store: StoreIdentifier) {
        do throws(KeychainError) { try enclave.lockKeychain(store) } catch {
            log.error("the key custodian does not lock a keychain", ["keychain": path.text, "reason": error.reason])
        }
    }

    // MARK: Who listens

    /// Tells subscribers of a change of the lock state; of several threads, the last one tells the final state.
    private func tellState() {
        toldUnlocked.withLock { told in
            let isUnlocked = keychain.isUnlocked
            guard isUnlocked != told else { return }
            told = isUnlocked
            post(isUnlocked ? .unlocked : .locked)
        }
    }

    func post(_ kind: KeychainEvent.Kind, _ item: KeychainItemReference? = nil) {
        events.post(kind, of: path.text, item: item)
    }

    // MARK: Besides

    func delete() throws(KeychainError) {
        defer { releaseStore() }
        try requireServed()
        dropFile()
        try machine.withdraw(path)
        try keychain.delete { forget($0) }
        // Subscribers learn of it from the event about the search list.
        toldUnlocked.withLock { $0 = false }
    }

    /// Checks whether a secret is the keychain's password or, if given, the passcode of a store; changes nothing.
    func verify(
        _ secret: Int32, orPasscodeOf store: StoreIdentifier?, from origin: PasscodeOrigin
    ) throws(KeychainError) -> KeychainReport {
        let header = try KeychainHeader(decoding: try keychain.header().header, path: path.text)
        guard let store else { return try enclave.verifyKeychainPassword(header, password: secret, from: origin) }
        var report = try enclave.verifyKeychainSecret(header, secret: secret, orPasscodeOf: store, from: origin)
        if report.outcome == .done, passcode.isPassword(of: header.check) { report.isPasscode = true }
        return report
    }
}
