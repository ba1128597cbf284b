import CChatelaine
import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import Glibc
import ItemStore
import ServerIPC
import Synchronization
import SystemCalls

/// The connection to the key custodian, which a ``CustodianLauncher`` starts.
///
/// It has a few channels, with one request at a time on each.
///
/// A channel for each waiting thread costs one round trip and no hop between threads. No channel belongs to one store:
/// each request names its store. When the custodian dies, the connection starts it again and reopens every store that
/// was open, and each waiting thread asks once more. A store that does not open then fails only the requests about that
/// store.
///
/// A restarted custodian has locked what a passcode protects. So the ``holders``, which keep keys, drop them when the
/// custodian that gave them ends. `EnclaveConnection+Passcode.swift` has the requests with a passcode.
// `@unchecked Sendable`: everything that changes is touched under `monitor`; a channel belongs to whoever took it.
package final class EnclaveConnection: @unchecked Sendable {
    /// Threads that wait for the custodian at one time.
    ///
    /// With few cores, more threads would only wait elsewhere.
    static let maximumChannels = 8
    /// Passcodes of one program that wait: as many as one of its processes has connections.
    static let passcodesWaiting = SessionLimits.connectionsPerProcess
    /// How often one request starts a custodian.
    static let attempts = 3

    /// A channel, the custodian to which it leads, and whether that custodian has to open the request's store first.
    typealias Taken = (channel: FrameChannel, generation: Int, hasToOpen: Bool)

    /// The objects that keep keys of stores in this process.
    let holders: KeyHolders
    let launcher: any CustodianLauncher
    let log: Log
    private let watchesEnd: Bool
    private let whenGone: AdaptiveMutex<@Sendable () -> Void> = AdaptiveMutex({})
    let monitor = Monitor(())
    var control: FrameChannel?
    var idle: [(channel: FrameChannel, generation: Int)] = []
    var open = 0
    /// The number of the current custodian; each end of a custodian counts it up.
    var generation = 0
    private var child: Int32 = 0
    /// Whether the custodian was lost and nobody was told.
    private var isLossUntold = false
    /// The stores that have to be open, each with the last custodian that opened it.
    private var stores: [(store: StoreIdentifier, generation: Int)] = []
    private let sawPasscode = Atomic(false)
    /// The places for passcodes of programs, and for passwords that programs give their contexts.
    let passcodes = ProgramPlaces<PasscodeOrigin>(
        EnclaveWire.maximumPasscodesOfPrograms, for: "passcodes", keepsOne: true, mostWaiting: passcodesWaiting)
    let credentials = ProgramPlaces<PasscodeOrigin>(
        EnclaveWire.maximumCredentials, for: "passwords", keepsOne: true, mostWaiting: passcodesWaiting)
    /// The place for passcodes that people type in dialogs.
    let agentPasscodes = CountingSemaphore(EnclaveWire.maximumPasscodes - EnclaveWire.maximumPasscodesOfPrograms)
    /// Requests for which the reader of biometrics may be asked take half of the channels, so that the others stay free
    /// for other rows.
    let evaluations = ProgramPlaces<BudgetOwner?>(
        EnclaveConnection.maximumChannels / 2, for: "questions about access controls")
    /// Requests that wait for a biometric.
    var matches = 0
    /// Requests that derive a key from a program's password: fewer than would fill the custodian's channels.
    let derivations = ProgramPlaces<BudgetOwner?>(2, for: "uses of passwords of programs")
    /// Questions about the reader of biometrics, each over a channel of its own: enough for those who ask at once, as
    /// long as the reader answers.
    let biometryReports = ProgramPlaces<BudgetOwner?>(2, for: "questions about the reader of biometrics")
    /// Calculations with private keys, and RSA keys that are being made: together as many as the custodian has workers.
    let keyTasks = ProgramPlaces<BudgetOwner?>(
        KeyWorkerWire.maximumWorkers - KeyWorkerWire.maximumMakers, for: "uses of private keys")
    let keyMakings = ProgramPlaces<BudgetOwner?>(
        KeyWorkerWire.maximumMakers, for: "keys being made", patience: KeyWorkerWire.makingSeconds * 1000)
    /// Idle channels for these tasks: one for each place at most.
    var aside: [(channel: FrameChannel, generation: Int)] = []
    /// Requests with passwords of file keychains: one is being checked, and the next one is ready.
    let keychainPasswords = ProgramPlaces<BudgetOwner?>(2, for: "passwords of keychains")
    /// The attempts to unlock file keychains, counted from when they wait for their place.
    var unlocks = UnlockAttempts()
    let lastContext = Atomic<UInt64>(0)
    /// How often the custodian has forgotten its contexts, or may have.
    private let losses = Atomic<UInt64>(0)
    let lastID = Atomic<UInt64>(0)

    /// Makes a connection; the first request starts the custodian.
    ///
    /// - Parameter watchesEnd: whether a thread waits for the end of each custodian, so that keys are forgotten then
    ///   and not with the next request. Then there are also row keys that are made before their rows, which have to be
    ///   forgotten at that moment and within seconds. A process that sends one custodian a fixed sequence of requests
    ///   does not need it.
    package init(launcher: any CustodianLauncher, log: Log, watchesEnd: Bool = false) {
        self.launcher = launcher
        self.log = log
        self.watchesEnd = watchesEnd
        holders = KeyHolders(expiringBy: watchesEnd ? Self.repeated : nil)
    }

    /// Runs `step` after each pause, on a thread of its own, until it answers false.
    @Sendable private static func repeated(after pause: Double, _ step: @escaping @Sendable () -> Bool) -> Bool {
        Worker.start { repeat { usleep(useconds_t(pause * 1e6)) } while step() }
    }

    /// Sets `body` to run, on any thread, when a custodian ends that this process did not end.
    func whenGone(_ body: @escaping @Sendable () -> Void) { whenGone.withLock { $0 = body } }

    /// Ends the custodian.
    ///
    /// The next request starts another one.
    package func end() { monitor.withLock { _ in endChild(isNews: false) } }

    var pid: Int32 { monitor.withLock { _ in child } }

    /// Whether a custodian runs, which may remember something.
    var isRunning: Bool { monitor.withLock { _ in control != nil } }

    /// Opens a store's keybag, and remembers to do so again after a restart of the custodian.
    func openStore(_ store: StoreIdentifier, isEmpty: Bool) throws(KeychainError) -> StoreKeys {
        let (keys, generation) = try perform(OpenStore(store, isEmpty: isEmpty))
        note(store, isOpenIn: generation)
        learnPasscode(of: store)
        return keys
    }

    /// Has the custodian close a store's keybag.
    ///
    /// No request about the store may follow until it is opened again.
    func closeStore(_ store: StoreIdentifier) {
        monitor.withLock { _ in stores.removeAll { $0.store == store } }
        // A custodian that has ended has nothing open.
        guard isRunning else { return }
        do throws(KeychainError) { _ = try call(CloseStore(store)) } catch {
            log.error("the key custodian does not close a store", ["reason": error.reason])
        }
    }

    /// Sends one request and returns the reply.
    ///
    /// Throws the custodian's error, or `errSecNotAvailable` where there is no custodian.
    func call<Request: EnclaveRequest>(_ request: Request) throws(KeychainError) -> Request.Reply {
        try perform(request).reply
    }

    private func perform<Request: EnclaveRequest>(
        _ request: Request
    ) throws(KeychainError) -> (reply: Request.Reply, generation: Int) {
        for attempt in 1... {
            let taken = try take(for: request.neededStore)
            do {
                if taken.hasToOpen, let store = request.neededStore {
                    do { try reopen(store, over: taken) } catch let error as KeychainError {
                        give(back: taken)
                        throw error
                    }
                }
                let result = try exchange(request, on: taken.channel)
                give(back: taken)
                return (try result.get(), taken.generation)
            } catch let unsent as Unsent where !Request.locks {
                give(back: taken)
                throw unsent.reason
            } catch let error as KeychainError {
                throw error
            } catch {
                // Nor must a lock that could not be sent leave anything open: the next custodian starts locked.
                lose(taken.generation, because: error)
                guard attempt < Self.attempts else { break }
            }
        }
        throw KeychainError(.notAvailable, "the key custodian \(launcher.program) keeps going away; see the log")
    }

    static var confused: KeychainError {
        KeychainError(.internalComponent, "the key custodian gave an answer of another request")
    }

    /// Whether the store that a request needs has to be opened first.
    ///
    /// Call it under the lock.
    func hasToOpen(_ store: StoreIdentifier?) -> Bool {
        guard let store else { return false }
        return stores.contains { $0.store == store && $0.generation != generation }
    }

    private func note(_ store: StoreIdentifier, isOpenIn generation: Int) {
        monitor.withLock { _ in
            if let index = stores.firstIndex(where: { $0.store == store }) {
                stores[index].generation = max(stores[index].generation, generation)
            } else {
                stores.append((store, generation))
            }
        }
    }

    /// Whether there was, or may have been, a passcode since this process began.
    ///
    /// Locked keys must then be wiped from stacks too.
    ///
    /// It is read after every request, and so takes no lock.
    var hadPasscode: Bool { sawPasscode.load(ordering: .relaxed) }

    func notePasscode() { sawPasscode.store(true, ordering: .relaxed) }

    /// Tries once more to open a store that did not open when the custodian was started; throws why it does not.
    func reopen(_ store: StoreIdentifier, over taken: Taken) throws {
        if case .failure(let error) = try exchange(OpenStore(store, isEmpty: false), on: taken.channel) { throw error }
        note(store, isOpenIn: taken.generation)
    }

    /// Opens the stores that have to be open in a custodian that was just started.
    ///
    /// Call it under the lock.
    private func reopenStores(over channel: FrameChannel) throws {
        for index in stores.indices {
            if case .failure(let error) = try exchange(OpenStore(stores[index].store, isEmpty: false), on: channel) {
                log.error("a store does not open in a new key custodian", ["reason": error.reason])
            } else {
                stores[index].generation = generation
            }
        }
    }

    /// Ends the custodian that a channel led to, unless another thread has done so already.
    func lose(_ former: Int, because error: any Error) {
        lockedTellingLosses { () -> Awaited<Void> in
            guard former == generation else { return .answer(()) }
            log.error("the key custodian went away", ["error": "\(error)"])
            endChild(isNews: true)
            return .answer(())
        }
    }

    /// Looks under the lock until there is an answer, and then runs `whenGone` if the custodian was lost, whoever lost
    /// it.
    func lockedTellingLosses<Answer>(_ look: () -> Awaited<Answer>) -> Answer {
        let (answer, isNews) = monitor.wait { _ -> Awaited<(Answer, Bool)> in
            switch look() {
            case .answer(let answer):
                defer { isLossUntold = false }
                return .answer((answer, isLossUntold))
            case .nothing(let milliseconds): return .nothing(milliseconds: milliseconds)
            }
        }
        if isNews { whenGone.withLock { $0 }() }
        return answer
    }

    /// Forgets the custodian and its channels, and wakes all who wait for one of these.
    ///
    /// Call it under the lock.
    ///
    /// - Parameter isNews: whether somebody has to be told, after the lock.
    private func endChild(isNews: Bool) {
        if isNews { isLossUntold = true }
        generation += 1
        // The thread that watches the custodian has a copy of the socket.
        if let control { shutdown(control.socket, Int32(SHUT_RDWR)) }
        control = nil
        idle = []
        aside = []
        open = 0
        if child > 0 { launcher.end() }
        child = 0
        // Where there is a passcode, the next custodian starts locked.
        forget()
        monitor.broadcast()
    }

    /// Notes that the custodian has forgotten its contexts, and drops the keys that this process keeps.
    func forget() {
        losses.add(1, ordering: .relaxed)
        holders.forgetKeys()
    }

    /// A count that changes as soon as contexts may have been forgotten.
    var forgettings: UInt64 { losses.load(ordering: .relaxed) }

    /// Starts the custodian.
    ///
    /// Call it under the lock.
    private func startChild() throws {
        var pair: [Int32] = [-1, -1]
        guard chatelaine_unix_socketpair(&pair) == 0 else { throw KeychainError(system: errno, "a socket pair") }
        let ours = FrameChannel(descriptor: pair[0])
        let theirs = Descriptor(pair[1])
        child = try launcher.start(channel: theirs.number)
        control = ours
        if watchesEnd { watch(ours.socket) }
    }

    /// Has a thread wait for the end of the custodian that was just started.
    ///
    /// Call it under the lock.
    private func watch(_ socket: Int32) {
        let own = fcntl(socket, F_DUPFD_CLOEXEC, 0)
        guard own >= 0 else { return log.error("the key custodian cannot be watched: no descriptor is left") }
        let watched = generation
        let isStarted = Worker.start { [weak self] in
            let own = Descriptor(own)
            // The poll asks for no event: the end of the socket (POLLHUP) is always reported.
            while SocketCalls.poll(own.number, 0, -1).count < 0 {}
            self?.lose(watched, because: FrameError.closed)
        }
        guard !isStarted else { return }
        close(own)
        log.error("the key custodian cannot be watched: no thread is left")
    }

    /// Asks the custodian to serve one more channel, and starts it where none runs; nil where it died at that moment.
    ///
    /// - Throws: also where the custodian runs and there is no room for a channel, in it or in this process. All other
    ///   channels go on then.
    func openChannel() throws(KeychainError) -> FrameChannel? {
        let isNew = control == nil
        do {
            if isNew { try startChild() }
            guard let control else { return nil }
            let channel = try passChannel(over: control)
            if isNew { try reopenStores(over: channel) }
            return channel
        } catch let none as NoChannel {
            log.warning("there is no further channel to the key custodian", ["reason": none.reason.reason])
            throw none.reason
        } catch let error as KeychainError {
            log.error("the key custodian was ended", ["reason": error.reason])
            endChild(isNews: !isNew)
            throw error
        } catch {
            log.error("the key custodian does not answer", ["error": "\(error)"])
            endChild(isNews: !isNew)
            return nil
        }
    }
}
