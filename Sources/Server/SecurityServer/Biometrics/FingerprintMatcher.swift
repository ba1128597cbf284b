import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import Glibc
import Sandbox
import Synchronization
import SystemCalls

/// The helper that speaks to fprintd for the key custodian, and securityd's end of the channel to it, which carries no
/// orders.
///
/// Its orders come from the custodian, over a channel that ``Spawner``'s helper makes and gives to both. securityd
/// never has an end of such a channel. So it can neither claim that a finger has matched nor hear which fingers are
/// enrolled.
final class FingerprintMatcher: Sendable {
    private let channel: HelperChannel
    private let whenLost: AdaptiveMutex<@Sendable () -> Void> = AdaptiveMutex({})
    private let confined = Atomic(false)
    /// Whether the sandbox of the helper is complete; known after ``waitUntilShutIn()``.
    var isConfined: Bool { confined.load(ordering: .relaxed) }

    /// Forks the helper, which then loads its library (``waitUntilShutIn()``).
    ///
    /// Call it while there is one thread.
    ///
    /// - Parameter spawner: this helper's end of the link to the helper that starts custodians.
    init(spawner: Int32, calls: ProcessCalls = .system) throws(KeychainError) {
        let (pid, number): (Int32, Int32)
        do throws(Errno) { (pid, number) = try calls.fork(spawner) } catch {
            throw KeychainError(system: error.code, "a process that speaks to fprintd")
        }
        if pid == 0 {
            Self.serve(HelperChannel(Descriptor(number)), HelperChannel(Descriptor(Helper.sharedDescriptor)))
        }
        channel = HelperChannel(Descriptor(number))
    }

    /// Waits until the helper is in its sandbox.
    ///
    /// Throws `errSecNotAvailable` where the helper has ended.
    func waitUntilShutIn() throws(KeychainError) {
        guard let (isConfined, _) = channel.receive() else {
            throw KeychainError(.notAvailable, "securityd-match, a part of securityd, ended at its start")
        }
        confined.store(isConfined == 1, ordering: .relaxed)
    }

    /// Sets `body` to run when the helper is gone.
    func watch(_ body: @escaping @Sendable () -> Void) { whenLost.withLock { $0 = body } }

    /// Waits for the end of the helper on a thread of its own; false where none can be had.
    func start() -> Bool {
        Worker.start { [self] in
            while let (_, descriptors) = channel.receive() { for number in descriptors { close(number) } }
            whenLost.withLock { $0 }()
        }
    }

    // MARK: In the helper

    private static func serve(_ securityd: consuming HelperChannel, _ spawner: consuming HelperChannel) -> Never {
        let isHardened = Helper.harden("securityd-match", .busListener)
        // The library has to load before the sandbox forbids it.
        let client = FprintClient(hasLibrary: SystemBus.load())
        guard Helper.shutIn(securityd, isHardened, .busListener()) else { _exit(0) }
        var custodian: FrameChannel?
        while true {
            client.work(now: MonotonicClock.milliseconds)
            if let present = custodian, !send(client, to: present) {
                custodian = nil
                client.forgetOrders(now: MonotonicClock.milliseconds)
            }
            let others = [securityd.descriptor, spawner.descriptor, custodian?.socket ?? -1]
            let ready = client.wait(or: others, now: MonotonicClock.milliseconds)
            // securityd sends nothing; its channel is only ready when it has ended.
            if ready.contains(0) { _exit(0) }
            if ready.contains(1) {
                guard let (_, descriptors) = spawner.receive() else { _exit(0) }
                // A custodian has ended before the next one is started.
                client.forgetOrders(now: MonotonicClock.milliseconds)
                for number in descriptors.dropFirst() { close(number) }
                custodian = descriptors.first.map { FrameChannel(descriptor: $0, side: .server) }
                custodian?.setPatience(seconds: patience)
            } else if ready.contains(2), let present = custodian, !receive(from: present, client) {
                custodian = nil
                client.forgetOrders(now: MonotonicClock.milliseconds)
            }
        }
    }

    /// Seconds in which a custodian has to send a whole order, and to read a report.
    private static let patience = 2

    private static func send(_ client: FprintClient, to custodian: FrameChannel) -> Bool {
        while let report = client.takeReport() {
            do { try custodian.send { report.encode(to: &$0) } } catch { return false }
        }
        return true
    }

    private static func receive(from custodian: FrameChannel, _ client: FprintClient) -> Bool {
        do {
            repeat {
                let order = try custodian.withFrame(limit: MatcherWire.maximumFrameBytes, waits: false) {
                    frame, descriptors in
                    guard descriptors.count == 0 else { throw FrameError.unexpected }
                    return try MatcherOrder(frame: frame)
                }
                client.take(order, now: MonotonicClock.milliseconds)
            } while custodian.hasSurplus
            return true
        } catch { return false }
    }
}

/// The link by which the helper that starts custodians gives each custodian, and securityd-match, an end of a new
/// channel.
struct MatcherLink {
    /// The socket of the link, open as long as the helper lives.
    private let socket: Int32

    init(_ socket: Int32) { self.socket = socket }

    /// Makes a channel and returns the custodian's end, which the caller closes; -1 on failure, so that the custodian
    /// knows of no reader.
    func newChannel() -> Int32 {
        var pair: SocketPair
        do throws(Errno) { pair = try SocketPair() } catch { return -1 }
        let matcher = pair.theirs.number
        var word: Int32 = 1
        let isSent = withUnsafeBytes(of: &word) {
            SocketCalls.system.send(socket, $0, [matcher]).count == MemoryLayout<Int32>.size
        }
        return isSent ? pair.takeOurs() : -1
    }
}
