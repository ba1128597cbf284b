import CChatelaine
import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import Glibc
import Sandbox
import Synchronization
import SystemCalls

/// The helper that speaks to fprintd for the key custodian, and securityd's end of the way to it, over which nothing is said.
///
/// Its orders come from the custodian, over a channel that ``Spawner``'s helper makes and gives to both. securityd never has
/// an end of one: it can neither say that a finger has matched nor hear which are enrolled.
final class FingerprintMatcher: Sendable {
    private let channel: HelperChannel
    private let whenLost: AdaptiveMutex<@Sendable () -> Void> = AdaptiveMutex({})
    private let confined = Atomic(false)
    /// Whether its sandbox is complete; known once it was waited for.
    var isConfined: Bool { confined.load(ordering: .relaxed) }

    /// Forks the helper; call it while there is one thread. It loads its library meanwhile (``waitUntilShutIn()``).
    ///
    /// - Parameter spawner: its end of the way to the helper that starts custodians.
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

    /// Throws `errSecNotAvailable` where the helper has ended.
    func waitUntilShutIn() throws(KeychainError) {
        guard let (isConfined, _) = channel.receive() else {
            throw KeychainError(.notAvailable, "securityd-match, a part of securityd, ended at its start")
        }
        confined.store(isConfined == 1, ordering: .relaxed)
    }

    /// Has `body` run when the helper is gone.
    func watch(_ body: @escaping @Sendable () -> Void) { whenLost.withLock { $0 = body } }

    /// Waits for its end on a thread of its own; false where there is none.
    func start() -> Bool {
        Worker.start { [self] in
            while let (_, descriptors) = channel.receive() { for number in descriptors { close(number) } }
            whenLost.withLock { $0 }()
        }
    }

    // MARK: In the helper

    private static func serve(_ securityd: consuming HelperChannel, _ spawner: consuming HelperChannel) -> Never {
        let isHardened = Helper.harden("securityd-match", .busListener)
        // Code comes in now or never.
        let client = FprintClient(hasLibrary: SystemBus.load())
        guard Helper.shutIn(securityd, isHardened, .busListener()) else { _exit(0) }
        var custodian: FrameChannel?
        while true {
            client.work(now: now)
            if let present = custodian, !send(client, to: present) {
                custodian = nil
                client.forgetOrders(now: now)
            }
            let others = [securityd.descriptor, spawner.descriptor, custodian?.socket ?? -1]
            let ready = client.wait(or: others, now: now)
            // securityd says nothing but that it has ended.
            if ready.contains(0) { _exit(0) }
            if ready.contains(1) {
                guard let (_, descriptors) = spawner.receive() else { _exit(0) }
                // One custodian has ended before the next is started.
                client.forgetOrders(now: now)
                for number in descriptors.dropFirst() { close(number) }
                custodian = descriptors.first.map { FrameChannel(descriptor: $0, side: .server) }
                custodian?.setPatience(seconds: patience)
            } else if ready.contains(2), let present = custodian, !receive(from: present, client) {
                custodian = nil
                client.forgetOrders(now: now)
            }
        }
    }

    /// Seconds in which a custodian sends all of an order, and reads a report.
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
                client.take(order, now: now)
            } while custodian.hasSurplus
            return true
        } catch { return false }
    }

    /// Milliseconds.
    private static var now: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
    }
}

/// The way on which the helper that starts custodians gives each of them, and securityd-match, an end of a new channel.
struct MatcherLink {
    /// Stays open as long as the helper lives.
    private let socket: Int32

    init(_ socket: Int32) { self.socket = socket }

    /// The custodian's end, which is the caller's to close; -1 where there is none to be had, so that the custodian knows of no reader.
    func newChannel() -> Int32 {
        var pair: [Int32] = [-1, -1]
        guard chatelaine_unix_socketpair(&pair) == 0 else { return -1 }
        defer { close(pair[1]) }
        var word: Int32 = 1
        let isSent = withUnsafeBytes(of: &word) {
            SocketCalls.system.send(socket, $0, [pair[1]]).count == MemoryLayout<Int32>.size
        }
        guard isSent else {
            close(pair[0])
            return -1
        }
        return pair[0]
    }
}
