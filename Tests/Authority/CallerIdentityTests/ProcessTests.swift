import CChatelaine
import ChatelaineSystem
import Foundation
import SystemCalls
import TestSupport
import Testing

@testable import CallerIdentity

/// A handle stands for one process, and never for the next one with its number.
struct ProcessTests {
    @Test func sameAndOtherProcess() throws {
        let first = try Child(["/usr/bin/cat"])
        let second = try Child(["/usr/bin/cat"])
        let process = try first.handle()
        guard !process.isDegraded else { try Test.cancel("SKIPPED: this kernel's pidfds share an inode") }
        let same = Descriptor(chatelaine_pidfd_open(first.pid))
        let other = Descriptor(chatelaine_pidfd_open(second.pid))
        #expect(process.isSameProcess(pidfd: same.number, pid: first.pid))
        #expect(!process.isSameProcess(pidfd: other.number, pid: second.pid))
        #expect(!process.isSameProcess(pidfd: other.number, pid: first.pid))
        #expect(!process.isSameProcess(pidfd: -1, pid: first.pid))
        #expect(process.isAlive)
        first.end()
        #expect(!process.isAlive)
    }

    @Test func endedBeforeItWasLookedAt() throws {
        let child = try Child(["/usr/bin/cat"])
        let pidfd = chatelaine_pidfd_open(child.pid)
        child.end()
        #expect(throws: Unidentified.self) {
            try ProcessHandle(adopting: pidfd, pid: child.pid, uid: 0, gid: 0)
        }
    }

    @Test func pidAndPidfdOfTwoProcesses() throws {
        let child = try Child(["/usr/bin/cat"])
        let pidfd = chatelaine_pidfd_open(child.pid)
        #expect(throws: Unidentified.self) { try ProcessHandle(adopting: pidfd, pid: getpid(), uid: 0, gid: 0) }
        #expect(throws: Unidentified.self) { try ProcessHandle(adopting: -1, pid: 0, uid: 0, gid: 0) }
    }

    @Test(arguments: [false, true])
    func endedAfterItWasLookedAt(isDegraded: Bool) throws {
        let child = try Child(["/usr/bin/cat"])
        let process = try handle(child, isDegraded: isDegraded)
        let snapshot = try ExecutableSnapshot(of: process)
        child.end()
        #expect(!snapshot.isStillRunning())
        #expect(throws: Unidentified.self) { try ExecutableSnapshot(of: process) }
    }

    @Test(arguments: [-1, 0])
    func degradedKernel(pidfd: Int32) throws {
        let child = try Child(["/usr/bin/cat"], uid: Bench.isRoot ? Bench.user : nil)
        try #require(child.answers())
        let process = try ProcessHandle(
            adopting: pidfd < 0 ? -1 : chatelaine_pidfd_open(child.pid), pid: child.pid, uid: Bench.user, gid: 0,
            support: PidfdSupport(hasUniqueInodes: false), system: .system)
        #expect(process.isDegraded)
        #expect(process.isSameProcess(pidfd: -1, pid: child.pid))
        #expect(!process.isSameProcess(pidfd: -1, pid: getpid()))
        let identity = try Bench().resolver.identify(ExecutableSnapshot(of: process))
        #expect(identity.assurance == .degraded)
        #expect(identity.hints == .degradedKernel)
        child.end()
        #expect(!process.isSameProcess(pidfd: -1, pid: child.pid))
        #expect(!process.isAlive)
    }

    /// Another process gets the number, as on a machine whose numbers have wrapped around.
    @Test(.enabled(if: Bench.isRoot, Bench.needsRoot), arguments: [false, true])
    func recycledNumber(isDegraded: Bool) throws {
        let first = try Child(["/usr/bin/cat"])
        try #require(first.answers())
        let process = try handle(first, isDegraded: isDegraded)
        let snapshot = try ExecutableSnapshot(of: process)
        let stale = chatelaine_pidfd_open(first.pid)
        first.end()
        var second: Child?
        for _ in 0..<200 where second == nil {
            guard
                (try? Data("\(first.pid - 1)".utf8).write(to: URL(fileURLWithPath: "/proc/sys/kernel/ns_last_pid")))
                    != nil
            else { break }
            let child = try Child(["/usr/bin/cat"])
            if child.pid == first.pid { second = child }
        }
        guard let second else {
            close(stale)
            try Test.cancel("SKIPPED: the kernel did not give the number \(first.pid) again")
        }
        try #require(second.answers())
        let pidfd = Descriptor(chatelaine_pidfd_open(second.pid))
        #expect(!process.isSameProcess(pidfd: pidfd.number, pid: second.pid))
        #expect(!process.isAlive)
        #expect(!snapshot.isStillRunning())
        #expect(throws: Unidentified.self) { try ProcessHandle(adopting: stale, pid: second.pid, uid: 0, gid: 0) }
    }

    @Test func namesThatLookLikeFields() throws {
        let folder = try TemporaryFolder(isRootOnly: false)
        let fields = (4...52).map { $0 == 22 ? "987654" : "\($0)" }.joined(separator: " ")
        try "42 (a) R 1 (b) S \(fields)\n".write(toFile: folder("stat"), atomically: false, encoding: .utf8)
        try "Name:\tTracerPid:\t7\nTracerPid:\t12\n".write(toFile: folder("status"), atomically: false, encoding: .utf8)
        let proc = try FileCalls.system.open(folder.path, in: AT_FDCWD, .look)
        #expect(try ProcessFacts.startTime(in: proc.number, system: .system) == 987_654)
        #expect(ProcessFacts.isTraced(in: proc.number, system: .system))
        try "TracerPid:\t0\n".write(toFile: folder("status"), atomically: false, encoding: .utf8)
        #expect(!ProcessFacts.isTraced(in: proc.number, system: .system))
        for broken in ["", "42", "42 (cat", "42 (cat) S 1 2"] {
            try broken.write(toFile: folder("stat"), atomically: false, encoding: .utf8)
            #expect(throws: Errno.self) { try ProcessFacts.startTime(in: proc.number, system: .system) }
        }
    }

    /// Counts the descriptors of one child only, because other tests open their own meanwhile.
    @Test func descriptorsAreClosed() throws {
        let child = try Child(["/usr/bin/cat"])
        try #require(child.answers())
        let held = try child.handle()
        #expect(descriptors(of: child.pid) == 1)
        for _ in 0..<10 {
            _ = try ExecutableSnapshot(of: child.handle())
            // The call fails after the folder was opened.
            _ = try? ProcessHandle(adopting: chatelaine_pidfd_open(getpid()), pid: child.pid, uid: 0, gid: 0)
        }
        #expect(descriptors(of: child.pid) == 1)
        #expect(held.isAlive)
    }

    private func descriptors(of pid: pid_t) -> Int {
        let system = IdentitySystemCalls.system
        return (0..<1024).count {
            (try? system.files.link(at: "/proc/self/fd/\($0)", in: AT_FDCWD)) == Array("/proc/\(pid)".utf8)
        }
    }

    private func handle(_ child: Child, isDegraded: Bool) throws -> ProcessHandle {
        guard isDegraded else { return try child.handle() }
        return try ProcessHandle(
            adopting: -1, pid: child.pid, uid: 0, gid: 0, support: PidfdSupport(hasUniqueInodes: false),
            system: .system)
    }
}
