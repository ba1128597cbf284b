import ChatelaineModel
import ChatelaineSystem
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ChatelaineIPC

/// Tests of how often the client starts a daemon that does not come up.
struct DaemonLauncherTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Replaces the daemon by a script that counts its starts and then runs `line`.
    private func launcher(_ line: String) throws -> DaemonLauncher {
        let script = "#!/bin/sh\necho started >>\(folder.path)/starts\n\(line)\n"
        try script.write(toFile: folder.path + "/script", atomically: false, encoding: .utf8)
        // Another process writes the script. A test that forks meanwhile would have it open, and it would not start
        // (ETXTBSY).
        try #require(
            CommandRun(["/usr/bin/install", "-m", "700", folder.path + "/script", folder.path + "/securityd"]).end
                .status == 0)
        let variables = ["CHATELAINE_HOME": folder.path, "CHATELAINE_LIBEXEC": folder.path]
        var environment = ProcessEnvironment.current
        environment.variable = { variables[$0] }
        return DaemonLauncher(deployment: try .current(environment), environment: environment)
    }

    private var starts: Int {
        (try? String(contentsOfFile: folder.path + "/starts", encoding: .utf8))?.split(separator: "\n").count ?? 0
    }

    @Test(arguments: ["kill -9 $$", "exit 75"])
    func oneThatIsKilledIsStartedAgain(_ end: String) throws {
        try launcher("[ $(wc -l <\(folder.path)/starts) -gt 1 ] || \(end)").start { false }
        #expect(starts == 2)
    }

    @Test func oneThatNeverComesUpIsGivenUp() throws {
        let launcher = try launcher("exit 75")
        #expect(throws: KeychainError(.notAvailable, "")) { try launcher.start { false } }
        #expect(starts == ClientLimits.starts)
    }

    @Test func oneThatSaysNoIsNotAskedAgain() throws {
        let launcher = try launcher("exit 1")
        #expect(throws: KeychainError(.notAvailable, "")) { try launcher.start { false } }
        #expect(starts == 1)
    }

    /// A daemon cannot log into a folder that is at fault, so the client's error names the path and the system's
    /// reason.
    @Test func theFolderAtFaultIsNamed() throws {
        let launcher = try launcher("exit 1")
        try #require(FileManager.default.createFile(atPath: folder.path + "/data", contents: nil))
        do {
            try launcher.start { false }
            Issue.record("it is started")
        } catch {
            #expect(error.status == .notAvailable && error.reason == "\(folder.path)/data: Not a directory")
        }
    }

    @Test func oneThatAnswersIsNotStarted() throws {
        try launcher("exit 1").start { true }
        #expect(starts == 0)
    }

    /// A program may fork while one of its threads starts a daemon, and the child may live long.
    @Test func aForkedChildDoesNotKeepTheLock() throws {
        var launcher = try launcher("exit 0")
        let child = Atomic<Int32>(0)
        launcher.calls.wait = { pid throws(Errno) in
            child.store(ForkedChild.pausing(), ordering: .relaxed)
            return try LaunchCalls.system.wait(pid)
        }
        try launcher.start { false }
        let pid = child.load(ordering: .relaxed)
        try #require(pid > 0 && kill(pid, 0) == 0)
        defer {
            kill(pid, SIGKILL)
            waitpid(pid, nil, 0)
        }
        let file = open(launcher.deployment.runtimeFolder + "/launch.lock", O_RDWR | O_CLOEXEC)
        defer { close(file) }
        #expect(flock(file, LOCK_EX | LOCK_NB) == 0)
    }

    /// Another program of the user holds the lock forever, or replaces its file.
    @Test func aLockThatIsNeverLetGo() throws {
        var launcher = try launcher("exit 0")
        launcher.lockMilliseconds = 20
        try RuntimeFolder(launcher.deployment.runtimeFolder).prepare()
        let path = launcher.deployment.runtimeFolder + "/launch.lock"
        let held = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(held) }
        try #require(flock(held, LOCK_EX) == 0)
        let error = #expect(throws: KeychainError.self) { try launcher.start { false } }
        #expect(error?.status == .notAvailable && error?.reason.contains(path) == true)
        #expect(starts == 0)
        var looks = 0
        try launcher.start {
            looks += 1
            return looks > 1
        }
        #expect(starts == 0, "a daemon that answers while the lock is held is as good")
    }

    @Test func aPipeInTheLocksPlaceDoesNotBlock() throws {
        let launcher = try launcher("exit 0")
        try RuntimeFolder(launcher.deployment.runtimeFolder).prepare()
        try #require(mkfifo(launcher.deployment.runtimeFolder + "/launch.lock", 0o600) == 0)
        try launcher.start { false }
        #expect(starts == 1)
    }

    // MARK: Calls that fail

    /// The system calls of a launcher that starts nothing.
    private final class Starts: Sendable {
        let words = Mutex<[[String]]>([])
        let waits = Mutex<[Errno]>([])
        let closed = Atomic(0)
    }

    private func faked(_ starts: Starts, _ change: (inout LaunchCalls) -> Void) throws -> DaemonLauncher {
        var launcher = try launcher("exit 1")
        launcher.lockMilliseconds = 20
        launcher.calls.spawn = { _, words, _ throws(Errno) in
            starts.words.withLock { $0.append(words) }
            return 1
        }
        launcher.calls.wait = { _ throws(Errno) in
            if let error = starts.waits.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { throw error }
            return 0
        }
        launcher.calls.close = { file in
            starts.closed.add(1, ordering: .relaxed)
            LaunchCalls.system.close(file)
        }
        change(&launcher.calls)
        return launcher
    }

    /// The client looks in these places in this order (behaviour/deployment.md, 9).
    ///
    /// It ignores the environment if a program has more rights than its user.
    @Test func theDaemonHasThreePlaces() throws {
        let places = [folder.path, "/opt/app/bin", "/opt/prefix/libexec/chatelaine"].map { $0 + "/securityd" }
        for isSecure in [false, true] {
            for (index, place) in places.enumerated() where index > 1 || !isSecure {
                let starts = Starts()
                let launcher = try faked(starts) { calls in
                    calls.executable = { "/opt/app/bin/app" }
                    calls.library = { "/opt/prefix/lib/libSecurity.so" }
                    calls.isSecureExecution = { isSecure }
                    calls.isExecutable = { path in isSecure || places[index...].contains(path) }
                }
                try launcher.start { false }
                #expect(starts.words.withLock { $0.map(\.first) } == [place])
            }
        }
        let nowhere = try faked(Starts()) { $0.isExecutable = { _ in false } }
        #expect(throws: KeychainError(.notAvailable, "")) { try nowhere.start { false } }
    }

    @Test func aLockThatCannotBeHadIsAnError() throws {
        let starts = Starts()
        let unopened = try faked(starts) { $0.open = { _ throws(Errno) in throw Errno(EMFILE) } }
        let error = #expect(throws: KeychainError.self) { try unopened.start { false } }
        #expect(error?.reason.contains("launch.lock") == true)
        let unlocked = try faked(starts) { $0.flock = { _ throws(Errno) in throw Errno(ENOLCK) } }
        #expect(throws: KeychainError.self) { try unlocked.start { false } }
        #expect(starts.closed.load(ordering: .relaxed) == 1, "the file of the lock is closed")
        // Constant interruptions delay the launcher no longer than a held lock.
        let interrupted = try faked(starts) { $0.flock = { _ throws(Errno) in throw .interrupted } }
        #expect(throws: KeychainError.self) { try interrupted.start { false } }
        #expect(starts.words.withLock { $0.isEmpty })
    }

    @Test(arguments: [EAGAIN, ENOMEM, ENOEXEC])
    func aProcessThatCannotBeHadIsAnError(_ number: Int32) throws {
        let starts = Starts()
        let launcher = try faked(starts) { $0.spawn = { _, _, _ throws(Errno) in throw Errno(number) } }
        let error = #expect(throws: KeychainError.self) { try launcher.start { false } }
        #expect(error?.reason.contains("\(folder.path)/securityd cannot be started") == true)
        #expect(starts.closed.load(ordering: .relaxed) == 1, "others may try")
    }

    @Test func aStatusThatSomebodyElseGotIsNoFailure() throws {
        let starts = Starts()
        starts.waits.withLock { $0 = [.interrupted, .interrupted, Errno(ECHILD)] }
        try faked(starts) { _ in }.start { false }
        #expect(starts.words.withLock { $0 } == [[folder.path + "/securityd", "--background"]])
        #expect(starts.waits.withLock { $0.isEmpty })
    }

    @Test func whoHasMoreRightsThanItsUserBelievesTheLoaderAlone() throws {
        let starts = Starts()
        let nowhere = try faked(starts) {
            $0.isSecureExecution = { true }
            $0.library = { nil }
        }
        #expect(throws: KeychainError(.notAvailable, "")) { try nowhere.start { false } }
        let installed = try faked(starts) {
            $0.isSecureExecution = { true }
            $0.library = { "/opt/lib/libSecurity.so" }
            $0.isExecutable = { $0 == "/opt/libexec/chatelaine/securityd" }
        }
        try installed.start { false }
        #expect(starts.words.withLock { $0 } == [["/opt/libexec/chatelaine/securityd", "--background"]])
    }

    @Test func aFolderThatCannotBeMadeIsAnError() throws {
        let starts = Starts()
        let launcher = try faked(starts) { $0.folders.mkdir = { _ throws(Errno) in throw Errno(EROFS) } }
        #expect(throws: KeychainError(.readOnly, "")) { try launcher.start { false } }
        #expect(starts.words.withLock { $0.isEmpty })
    }
}
