import CChatelaine
import ChatelaineSystem
import Foundation
import TestSupport
import Testing

@testable import CallerIdentity

/// The cost of identifying, counted in system calls because times differ between machines.
@Suite(.enabled(if: Bench.isRoot, Bench.needsRoot))
struct CostTests {
    @Test func messageCostsThreeCalls() throws {
        let system = FakeSystem()
        let child = try Child(["/usr/bin/cat"])
        try #require(child.answers())
        let process = try child.handle(system.calls)
        guard !process.isDegraded else { try Test.cancel("SKIPPED: this kernel's pidfds share an inode") }
        let snapshot = try ExecutableSnapshot(of: process)
        let resolver = try Bench(system: system.calls).resolver
        let identity = try resolver.identify(snapshot)
        let pidfd = Descriptor(chatelaine_pidfd_open(child.pid))
        let before = system.total
        #expect(process.isSameProcess(pidfd: pidfd.number, pid: child.pid))
        #expect(snapshot.isStillRunning())
        #expect(try resolver.refreshed(identity, snapshot) == identity)
        #expect(system.total - before == 3)
    }

    /// Prints the figures of this machine: `MEASURE=1 swift test --filter CostTests`.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["MEASURE"] != nil, "optional: MEASURE=1 asks for it"))
    func figures() throws {
        let folder = try TemporaryFolder(isRootOnly: false, owner: Bench.user)
        let bench = try Bench(system: .system)
        for arguments in [["/usr/bin/cat"], [try folder.program(owner: Bench.user)]] {
            let child = try Child(arguments, uid: Bench.user)
            try #require(child.answers())
            let process = try child.handle()
            let snapshot = try ExecutableSnapshot(of: process)
            let identity = try bench.resolver.identify(snapshot)
            let pidfd = Descriptor(chatelaine_pidfd_open(child.pid))
            measure("\(identity.identifier): handle, snapshot, identify", 500) {
                _ = try bench.resolver.identify(ExecutableSnapshot(of: child.handle()))
            }
            measure("\(identity.identifier): every message", 20_000) {
                guard process.isSameProcess(pidfd: pidfd.number, pid: child.pid), snapshot.isStillRunning() else {
                    return
                }
                _ = try bench.resolver.refreshed(identity, snapshot)
            }
        }
    }

    /// The cost that the administrator's list of interpreters adds to each connection.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["MEASURE"] != nil, "optional: MEASURE=1 asks for it"))
    func interpreters() throws {
        let folder = try TemporaryFolder(isRootOnly: true)
        let program: CanonicalPath = "/usr/bin/cat"
        for (names, what) in [(0, "no list of interpreters"), (10, "one of 10 names"), (1000, "one of 1000 names")] {
            let list = (0..<names).map { "runner\($0)\n" }.joined()
            if names > 0 { try list.write(toFile: folder("list"), atomically: true, encoding: .utf8) }
            if names > 0 { try #require(chmod(folder("list"), 0o644) == 0) }
            let added = AddedInterpreters(path: folder("list"), system: .system)
            #expect((added.report?.count ?? 0) == names)
            measure(what, 2000) { _ = added.contains(program) }
        }
    }

    /// The cost of a program that nobody else runs, by its size.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["MEASURE"] != nil, "optional: MEASURE=1 asks for it"))
    func hashing() throws {
        let folder = try TemporaryFolder(isRootOnly: false, owner: Bench.user)
        for size in [1, 16, 128] {
            let path = try folder.program("app\(size)", owner: Bench.user)
            try #require(truncate(path, off_t(size) << 20) == 0)
            let child = try Child([path], uid: Bench.user)
            try #require(child.answers())
            let bench = try Bench()
            measure("\(size) MiB: handle, snapshot, identify", 20) { _ = try bench.identify(child) }
        }
    }

    private func measure(_ what: String, _ rounds: Int, _ body: () throws -> Void) {
        var times = [Double]()
        for _ in 0..<rounds {
            let start = ContinuousClock.now
            try? body()
            times.append(start.duration(to: .now) / .nanoseconds(1))
        }
        times.sort()
        print("\(what): p50 \(times[rounds / 2] / 1000) µs, p99 \(times[rounds * 99 / 100] / 1000) µs")
    }
}
