import ChatelaineModel
import Foundation
import TestSupport
import Testing

@testable import ChatelaineIPC

/// How often a daemon is started that does not come up.
struct DaemonLauncherTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Puts a script in the daemon's place that counts its starts; `line` is what it does after that.
    private func launcher(_ line: String) throws -> DaemonLauncher {
        let script = "#!/bin/sh\necho started >>\(folder.path)/starts\n\(line)\n"
        try #require(
            FileManager.default.createFile(
                atPath: folder.path + "/securityd", contents: Data(script.utf8), attributes: [.posixPermissions: 0o700])
        )
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

    /// The daemon cannot say it where its log would be in that folder: the error names the path and the system's reason.
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

    /// Another program of the user holds the lock for good, or puts something else in its place.
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
}
