import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import Glibc
import ServerIPC
import Synchronization
import SystemCalls
import TestSupport
import Testing

@testable import SecurityServer

/// Stands in for securityd-trust, with a thread for each trustd that gives out numbers and forks nothing.
private final class FakeHelper: ProcessStarting {
    let started = Counter()
    let ended = Mutex<[pid_t]>([])
    let endedWorkers = Mutex<[UInt32]>([])
    /// The number of workers that a trustd starts before it refuses.
    let most: Int
    private let isRefused: Bool
    /// The milliseconds without an order after which a trustd ends.
    private let idle: Int32
    let idled = Counter()

    init(most: Int = 100, isRefused: Bool = false, idle: Int32 = -1) {
        (self.most, self.isRefused, self.idle) = (most, isRefused, idle)
    }

    func start(channel: Int32) throws(KeychainError) -> pid_t {
        guard !isRefused else { throw KeychainError(system: EAGAIN, "trustd cannot be started") }
        let number = fcntl(channel, F_DUPFD_CLOEXEC, 3)
        let pid = started.next()
        _ = Worker.start { [self] in
            let count = Counter()
            ForkServer(
                descriptor: number,
                start: {
                    guard count.next() <= self.most else { return nil }
                    let end = open("/dev/null", O_RDWR | O_CLOEXEC)
                    return (UInt32(1000 * pid + count.value), end)
                }, end: { worker in self.endedWorkers.withLock { $0.append(worker) } }, close: { close($0) }, idle: idle
            ).serve()
            _ = idled.next()
        }
        return pid_t(pid)
    }

    func end(_ pid: pid_t) { ended.withLock { $0.append(pid) } }
}

/// The supervisor decides which process forks, and for how long.
struct ForkServerSupervisorTests {
    private func started(_ nursery: ForkServerSupervisor) throws -> WorkerHandle {
        let process = try nursery.start()
        close(process.channel)
        return process
    }

    @Test func oneForksAllWorkers() throws {
        let helper = FakeHelper()
        let nursery = ForkServerSupervisor(helper, of: "trustd")
        #expect(helper.started.value == 0)
        let workers = try (0..<3).map { _ in try started(nursery) }
        #expect(workers.map(\.pid) == [1001, 1002, 1003] && helper.started.value == 1)
        for worker in workers { nursery.end(worker, failed: false) }
        #expect(helper.endedWorkers.withLock { $0 } == [1001, 1002, 1003])
        #expect(helper.ended.withLock { $0 }.isEmpty)
    }

    /// The workers of a failed trustd have its memory layout, so another one forks.
    ///
    /// Other workers of it still give their answers.
    @Test func afterAFailureAnotherForks() throws {
        let helper = FakeHelper()
        let nursery = ForkServerSupervisor(helper, of: "trustd")
        let (failing, other) = (try started(nursery), try started(nursery))
        nursery.end(failing, failed: true)
        #expect(helper.ended.withLock { $0 }.isEmpty)
        let next = try started(nursery)
        #expect(next.pid == 2001 && helper.started.value == 2)
        nursery.end(other, failed: false)
        #expect(helper.ended.withLock { $0 } == [1])
        nursery.end(next, failed: false)
        #expect(helper.ended.withLock { $0 } == [1])
        #expect(try started(nursery).pid == 2002)
    }

    @Test func oneThatForksNoMoreIsReplacedOnce() throws {
        let helper = FakeHelper(most: 1)
        let nursery = ForkServerSupervisor(helper, of: "trustd")
        let first = try started(nursery)
        let second = try started(nursery)
        #expect(first.pid == 1001 && second.pid == 2001)
        nursery.end(first, failed: false)
        #expect(helper.ended.withLock { $0 } == [1])
        let none = FakeHelper(most: 0)
        #expect(throws: KeychainError(.notAvailable, "")) { try ForkServerSupervisor(none, of: "trustd").start() }
        #expect(none.started.value == 2 && none.ended.withLock { $0 } == [1, 2])
    }

    @Test func oneThatEndedWhenItWasIdleIsReplaced() throws {
        // Long enough for an order to come in time on a busy machine.
        let helper = FakeHelper(idle: 500)
        let nursery = ForkServerSupervisor(helper, of: "formatd")
        nursery.end(try started(nursery), failed: false)
        try helper.idled.wait(for: 1)
        let next = try started(nursery)
        #expect(next.pid == 2001 && helper.ended.withLock { $0 } == [1])
    }

    @Test func whatCannotBeStartedSaysSo() throws {
        let nursery = ForkServerSupervisor(FakeHelper(isRefused: true), of: "trustd")
        #expect(throws: KeychainError.self) { try nursery.start() }
    }
}
