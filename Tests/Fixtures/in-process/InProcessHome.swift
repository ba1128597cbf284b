import CChatelaine
import CallerIdentity
import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import Enclave
import EnclaveProtocol
import Glibc
import ItemStore
import SecurityServer
import StoreEngine
import Synchronization
import SystemCalls

/// One user's files with both daemons in this process: the custodian with its keys, the keychain, the list of programs.
///
/// The parts are those of securityd and enclaved. A `KeychainSlot` opens the keychain at its first use and again after
/// a failure. An `IdentityService` has the list of programs. Keys come over a socket pair from a `ChannelServer` on
/// threads of this process. Only the store differs: the user of this class calls it directly, and not a thread.
package final class InProcessHome {
    package let path: String
    private let custodian: CustodianThreads
    private let enclave: EnclaveConnection
    private let identities: IdentityService
    private let trust: UserTrustSettings
    private let slot: KeychainSlot
    private let log = EventLog()
    private let clock: StoreClock

    /// - Parameters:
    ///   - time: the first time of the clock, in seconds since 2001; it advances a second with each reading, so that
    ///   names
    ///     and dates are the same in every run.
    ///   - isMarked: whether the keybag records the store's mark; before format 3 there was no mark.
    package init(
        _ path: String, settings: EnclaveSettings = InProcessHome.settings, time: Double, isMarked: Bool = true
    ) {
        self.path = path
        let time = Time(time)
        // Each reading of the age of something advances the clock by hours.
        let clock = StoreClock {
            time.next()
        } elapsed: {
            time.next() * 3600
        }
        self.clock = clock
        let events = log
        let lines = Log(file: "", mayWrite: { false })
        let environment = ProcessEnvironment(
            uid: geteuid(), home: path, variable: { $0 == "CHATELAINE_HOME" ? path : nil }, isOwnFolder: { _ in true },
            isSystemMode: { false })
        let deployment = Result { () throws(KeychainError) in try Deployment.current(environment) }
        custodian = CustodianThreads(stateFolder: path + "/state/enclave", settings: settings)
        enclave = EnclaveConnection(launcher: custodian, log: lines)
        let identities = IdentityService(
            user: geteuid(), stateFolder: path + "/state", enclave: enclave, verifier: UnreadableSignatures())
        self.identities = identities
        trust = UserTrustSettings(stateFolder: path + "/state")
        var surroundings = KeychainSlot.Surroundings(log: lines)
        surroundings.clock = clock
        surroundings.maintain = { _, _ in }
        surroundings.report = { events.note($0) }
        surroundings.prepare = { () throws(KeychainError) in try deployment.get().prepareStoreFolders() }
        surroundings.attach = { (store) throws(KeychainError) in try identities.open(with: store) }
        let keys = EnclaveKeySource(enclave: enclave)
        slot = KeychainSlot(
            .default, folder: path + "/data/stores/default", mark: path + "/state/stores/default.mark",
            keys: isMarked ? keys : UnmarkedKeys(keys: keys), surroundings)
    }

    deinit {
        // The store closes before the custodian, so that the order of calls is the same in each run.
        slot.close()
        enclave.end()
    }

    /// Settings with so few seals for each key that a handful of items makes the custodian replace keys and save
    /// counts.
    package static var settings: EnclaveSettings {
        var settings = EnclaveSettings()
        settings.blockSize = 6
        settings.rotationThreshold = 12
        settings.lockAttempts = 3
        return settings
    }

    package var storeFolder: String { path + "/data/stores/default" }
    package var snapshots: StoreSnapshots { slot.snapshots }
    package var events: [StoreEvent] { log.all }
    /// The present time of the clock.
    package var now: Double { clock.now() }

    package func opened() throws(KeychainError) -> ItemStore { try slot.keychain().store }

    package func programs() throws(KeychainError) -> ApplicationLedger {
        _ = try opened()
        guard let opened = identities.opened else {
            throw KeychainError(.internalComponent, "no list of programs")
        }
        return opened.ledger
    }

    /// Gives the keychain new keys, as the first passcode does. Leaves no passcode, so that no start is locked.
    package func replaceKeys() throws(KeychainError) {
        let store = try opened().identifier
        let passcode = SecretBytes("a passcode".utf8)
        for request in [SetPasscode(store), RemovePasscode(.agent, in: store)] as [any EnclavePasscodeRequest] {
            guard try custodian.answer(request, passcodes: [passcode]).outcome == .done else {
                throw KeychainError(.internalComponent, "the custodian takes no passcode")
            }
        }
    }

    /// Sends a request with typed passcodes to the custodian, as the agent of a dialog does.
    package func ask<Request: EnclaveRequest>(
        _ request: Request, _ passcodes: String...
    ) throws(KeychainError) -> Request.Reply {
        _ = try opened()
        return try custodian.answer(request, passcodes: passcodes.map { SecretBytes($0.utf8) })
    }

    /// Sends a request with a passcode, and returns its outcome.
    package func outcome(
        _ request: some EnclavePasscodeRequest, _ passcode: String
    ) throws(KeychainError) -> PasscodeOutcome { try ask(request, passcode).outcome }

    // MARK: File keychains

    /// The keys of the file keychains that the custodian has unlocked.
    package var keychainKeys: FileKeychainKeySource { FileKeychainKeySource(enclave: enclave) }

    /// Returns a function that makes the keys of a new file keychain and returns its header.
    package func keychainMaker(
        _ password: String
    ) throws(KeychainError) -> @Sendable (StoreIdentifier) throws(KeychainError) -> [UInt8] {
        _ = try opened()
        let custodian = custodian
        return { (keychain) throws(KeychainError) in
            try Self.header(custodian.answer(CreateKeychain(keychain), passcodes: [SecretBytes(password.utf8)]))
        }
    }

    package func unlockKeychain(_ header: [UInt8], _ password: String) throws(KeychainError) -> Bool {
        let header = try KeychainHeader(decoding: header, path: path)
        return try ask(UnlockKeychain(header, .agent, in: header.store), password).outcome == .done
    }

    /// Changes the password of a file keychain, and returns the new header.
    package func changeKeychain(
        _ header: [UInt8], _ password: String, to new: String
    ) throws(KeychainError) -> [UInt8] {
        let header = try KeychainHeader(decoding: header, path: path)
        _ = try opened()
        return try Self.header(
            custodian.answer(
                ChangeKeychainPassword(header, .agent, in: header.store),
                passcodes: [SecretBytes(password.utf8), SecretBytes(new.utf8)]))
    }

    private static func header(_ report: KeychainReport) throws(KeychainError) -> [UInt8] {
        guard let header = report.header else {
            throw KeychainError(.authFailed, "the password is another one")
        }
        return header.encoded
    }

    // MARK: Decisions

    /// Makes a decision about programs with the passcode, as `security app` does.
    package func decide(_ decision: ApplicationLedger.Decision, _ passcode: String) throws(KeychainError) {
        let store = try opened().identifier
        var ends: [Int32] = [-1, -1]
        guard chatelaine_pipe(&ends) == 0 else { throw KeychainError(system: errno, "a pipe") }
        let reading = Descriptor(ends[0])
        // The passcode fits into the pipe, so the write never blocks.
        let bytes = Array(passcode.utf8)
        let count = write(ends[1], bytes, bytes.count)
        close(ends[1])
        guard count == bytes.count else { throw KeychainError(.internalComponent, "a pipe takes no passcode") }
        try identities.carryOut(
            decision, GivenPasscode(origin: .agent, store: store, files: [reading.number]))
    }

    /// The paths of recorded programs; a program not confirmed with the passcode has a question mark after its path.
    package func listed() throws(KeychainError) -> Set<String> {
        let ledger = try programs()
        let paths = ledger.list().map { $0.path.text + (ledger.counts($0) ? "" : "?") }
        let teams = ledger.teams().map { $0.owner.team.text + (ledger.counts($0) ? "" : "?") }
        return Set(paths + teams + ledger.adoptions().map { "adopted \($0.path)" })
    }

    // MARK: Settings of trust

    /// Replaces all trust settings with the passcode, as `security add-trusted-cert` does.
    package func setTrust(_ settings: [TrustSetting], _ passcode: String) throws(KeychainError) {
        _ = try trust.change(in: try programs(), to: { () throws(KeychainError) in settings }) {
            (decision) throws(KeychainError) in
            try decide(decision, passcode)
            return ((), true)
        }
    }

    /// The names of certificates with trust settings.
    package func trusted() throws(KeychainError) -> Set<String> {
        Set(try trust.settings(in: try programs()).map(\.summary))
    }

    package func restore(_ name: String) throws(KeychainError) { _ = try slot.restore(name) }

    /// The events while the home was open.
    private final class EventLog: Sendable {
        private let events = Mutex<[StoreEvent]>([])
        var all: [StoreEvent] { events.withLock { $0 } }
        func note(_ event: StoreEvent) { events.withLock { $0.append(event) } }
    }

    private final class Time: Sendable {
        private let now: Mutex<Double>
        init(_ start: Double) { now = Mutex(start) }
        func next() -> Double {
            now.withLock {
                $0 += 1
                return $0
            }
        }
    }
}
