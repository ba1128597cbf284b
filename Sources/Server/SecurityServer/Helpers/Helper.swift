import CChatelaine
import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import Glibc
import Sandbox
import SystemCalls

/// A process beside securityd that does what securityd's sandbox forbids.
///
/// It is forked before securityd opens anything or holds secrets, has a sandbox of its own, and ends with securityd. It
/// answers one question at a time, at once or not at all.
final class Helper: Sendable {
    private let channel: AdaptiveMutex<HelperChannel>
    private let whenLost: AdaptiveMutex<@Sendable () -> Void> = AdaptiveMutex({})
    /// Whether the sandbox of the helper is complete.
    let isConfined: Bool

    /// Forks the helper.
    ///
    /// Call it while there is one thread.
    ///
    /// - Parameters:
    ///   - name: the name in process lists, of 15 bytes at most.
    ///   - shared: a descriptor that the helper keeps as its descriptor 4; -1 for none.
    ///   - answer: runs in the helper. It turns a number and a descriptor (-1 for none) into a number and descriptors.
    ///     The helper closes all of these descriptors afterwards.
    /// - Throws: `errSecNotAvailable` where the system has no process or descriptor left.
    init(
        _ name: String, _ role: ProcessHardening.Role, _ confinement: Confinement, sharing shared: Int32 = -1,
        calls: ProcessCalls = .system, answer: (Int32, Int32) -> (Int32, [Int32])
    ) throws(KeychainError) {
        let (pid, number): (Int32, Int32)
        do throws(Errno) { (pid, number) = try calls.fork(shared) } catch {
            throw KeychainError(system: error.code, "a process for \(name)")
        }
        if pid == 0 { Self.serve(name, role, confinement, number, answer) }
        let channel = HelperChannel(Descriptor(number))
        guard let (isConfined, _) = channel.receive() else {
            throw KeychainError(.notAvailable, "\(name), a part of securityd, ended at its start")
        }
        self.isConfined = isConfined == 1
        self.channel = AdaptiveMutex(channel)
    }

    /// Sets `body` to run, on any thread, when the helper is gone.
    func watch(_ body: @escaping @Sendable () -> Void) { whenLost.withLock { $0 = body } }

    /// Asks the helper; nil where it is gone.
    ///
    /// A sent descriptor stays the caller's, and received ones become the caller's.
    ///
    /// Where the kernel refuses to pass a descriptor in either direction, the answer is its error, negated.
    func ask(_ number: Int32, descriptor: Int32? = nil) -> (number: Int32, descriptors: [Int32])? {
        let answer = channel.withLock { channel -> (number: Int32, descriptors: [Int32])? in
            switch channel.send(number, descriptors: descriptor.map { [$0] } ?? []) {
            case .done: channel.receive()
            case .refused(let error): (-error, [])
            case .lost: nil
            }
        }
        if answer == nil { whenLost.withLock { $0 }() }
        return answer
    }

    /// The number under which a helper finds the descriptor that it shares with another helper.
    static let sharedDescriptor: Int32 = 4

    /// Runs the helper until securityd has ended.
    private static func serve(
        _ name: String, _ role: ProcessHardening.Role, _ confinement: Confinement, _ number: Int32,
        _ answer: (Int32, Int32) -> (Int32, [Int32])
    ) -> Never {
        let isHardened = harden(name, role)
        work(HelperChannel(Descriptor(number)), isHardened, confinement, answer)
        _exit(0)
    }

    /// Prepares a new fork of securityd.
    ///
    /// Returns whether it gave up everything that it should.
    static func harden(_ name: String, _ role: ProcessHardening.Role) -> Bool {
        // A terminal and a service manager signal every process at once, but the helper has to end after securityd, by
        // its channel.
        for number in [SIGINT, SIGQUIT, SIGTERM, SIGHUP] { signal(number, SIG_IGN) }
        chatelaine_set_name(name)
        return ProcessHardening.apply(role).isEmpty
    }

    /// Confines this process and reports over the channel whether the sandbox is complete.
    ///
    /// False where nobody receives that.
    static func shutIn(_ channel: borrowing HelperChannel, _ isHardened: Bool, _ confinement: Confinement) -> Bool {
        let states = confinement.apply().states
        let isComplete = isHardened && states.allSatisfy { $0.level == .on || $0.name == confinement.exempt }
        return channel.send(isComplete ? 1 : 0) == .done
    }

    /// Confines this process, reports whether the sandbox is complete, and answers until nobody asks any more.
    static func work(
        _ channel: consuming HelperChannel, _ isHardened: Bool, _ confinement: Confinement,
        _ answer: (Int32, Int32) -> (Int32, [Int32])
    ) {
        guard shutIn(channel, isHardened, confinement) else { return }
        while let (number, descriptors) = channel.receive() {
            let (reply, returned) = answer(number, descriptors.first ?? -1)
            var delivery = channel.send(reply, descriptors: returned)
            if case .refused(let error) = delivery { delivery = channel.send(-error) }
            for number in descriptors + returned { close(number) }
            guard delivery == .done else { break }
        }
    }
}
