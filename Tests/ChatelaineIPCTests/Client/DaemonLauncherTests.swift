import ChatelaineModel
import Foundation
import Testing

@testable import ChatelaineIPC

/// How often a daemon is started that does not come up.
struct DaemonLauncherTests {
    private let folder = TemporaryFolder()

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
        return DaemonLauncher(deployment: .current(environment), environment: environment)
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

    @Test func oneThatAnswersIsNotStarted() throws {
        try launcher("exit 1").start { true }
        #expect(starts == 0)
    }
}
