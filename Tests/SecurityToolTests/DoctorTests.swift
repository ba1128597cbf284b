import ChatelaineIPC
import ChatelaineModel
import Foundation
import Testing

@testable import SecurityTool

struct DoctorTests {
    private final class Folder {
        let path: String

        init() throws {
            path = FileManager.default.temporaryDirectory.path + "/doctor-" + UUID().uuidString
            for folder in ["", "/data", "/data/stores", "/state"] { mkdir(path + folder, 0o700) }
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        var deployment: Deployment {
            let home = path
            return Deployment.current(
                ProcessEnvironment(
                    uid: geteuid(), home: home, variable: { $0 == "CHATELAINE_HOME" ? home : nil },
                    isFolder: { _ in true }, isSystemMode: { false }))
        }

        func findings() -> [String: Finding] {
            let found = FolderChecks(deployment: deployment, uid: geteuid()).findings()
            return Dictionary(uniqueKeysWithValues: found.map { ($0.name, $0) })
        }
    }

    @Test func soundFoldersAreSound() throws {
        let folder = try Folder()
        #expect(FileManager.default.createFile(atPath: folder.path + "/data/stores/a", contents: nil))
        chmod(folder.path + "/data/stores/a", 0o600)
        let findings = folder.findings()
        #expect(findings.values.allSatisfy { $0.level == .ok }, "\(findings)")
        #expect(findings["folder.runtime"]?.text.contains("not there yet") == true)
    }

    @Test func openFoldersFilesAndLinksAreProblems() throws {
        let folder = try Folder()
        chmod(folder.path + "/state", 0o755)
        #expect(FileManager.default.createFile(atPath: folder.path + "/data/stores/a", contents: nil))
        chmod(folder.path + "/data/stores/a", 0o640)
        var findings = folder.findings()
        #expect(findings["folder.state"]?.remedy == "chmod go-rwx \(folder.path)/state")
        #expect(findings["folder.data"]?.remedy == "chmod go-rwx \(folder.path)/data/stores/a")
        unlink(folder.path + "/data/stores/a")
        symlink("/etc/passwd", folder.path + "/data/stores/a")
        chmod(folder.path, 0o777)
        findings = folder.findings()
        #expect(findings["folder.data"]?.text.contains("can be changed by others") == true)
        chmod(folder.path, 0o700)
        #expect(folder.findings()["folder.data"]?.text.hasSuffix("is a symbolic link") == true)
    }

    @Test func machineChecksSaySomethingAboutEverything() {
        let names = (KernelChecks().findings() + NamespaceChecks().findings()).map(\.name)
        #expect(names.count == 8 && Set(names).count == 8)
        #expect(MemoryChecks(limit: 65_536).findings().first?.level == .degraded)
        #expect(MemoryChecks(limit: .max).findings().first?.text == "any amount of memory may be locked")
        #expect(SpaceCheck.judge(1 << 20, at: "/").level == .problem)
        #expect(SpaceCheck.judge(1 << 27, at: "/").level == .degraded)
        #expect(SpaceCheck.judge(1 << 40, at: "/").level == .ok)
    }

    @Test func everyCheckKeepsTheRemedyForTrouble() {
        for finding in KernelChecks().findings() { #expect((finding.level == .ok) == finding.remedy.isEmpty) }
    }

    @Test func reportsAreJudged() throws {
        var report = DaemonReport()
        report.add("daemon.version", SecurityTool.version)
        report.add("store.items", 7)
        report.add("store.quarantined", 0)
        report.add("enclave.dumpable", 0)
        report.add("memory.unlocked", 0)
        report.add("caller.assurance", "file")
        #expect(DaemonChecks.findings(report).allSatisfy { $0.level == .ok })
        var bad = DaemonReport()
        bad.add("daemon.version", "0.0.1")
        bad.add("store.error", "disk full")
        bad.add("store.quarantined", 2)
        bad.add("enclave.dumpable", "yes")
        bad.add("enclave.memory.unlocked", 4096)
        bad.add("kernel.pidfd", "degraded")
        bad.add("caller.assurance", "degraded")
        let levels = DaemonChecks.findings(bad).map(\.level)
        #expect(levels == [.degraded, .problem, .degraded, .problem, .degraded, .degraded, .degraded])
        var refused = DaemonReport()
        refused.add("caller.assurance", "shared")
        #expect(DaemonChecks.findings(refused).allSatisfy { $0.level == .ok })
        refused.add("caller.reason", "its file changed")
        #expect(DaemonChecks.findings(refused).map(\.level) == [.ok, .problem])
        #expect(DaemonChecks.findings(DaemonReport()).map(\.level) == [.ok])
    }

    @Test func sandboxesAreShownMeasureByMeasure() {
        var report = DaemonReport()
        report.add("sandbox.calls", "on: seccomp, 190 rules")
        report.add("sandbox.files", "impossible: the kernel has no Landlock")
        report.add("sandbox.refused", "refused: once, last socket")
        report.add("enclave.sandbox.dumping", "off: the process can be traced and dumped")
        report.add("enclave.sandbox.news", "on")
        let findings = SandboxChecks.findings(report)
        #expect(findings.map(\.level) == [.ok, .degraded, .degraded, .problem, .ok])
        #expect(findings.map(\.name) == report.facts.map(\.name))
        #expect(findings[0].text == "only the system calls that it needs: on (seccomp, 190 rules)")
        #expect(findings[1].text.contains("impossible here (the kernel has no Landlock)"))
        #expect(findings[2].text == "a system call was refused: once, last socket")
        #expect(findings.allSatisfy { ($0.level == .ok) == $0.remedy.isEmpty })
    }

    /// A daemon that takes the call and never answers.
    private struct SilentKeychain: KeychainService {
        let deployment = Deployment.current()
        let waiting = DispatchSemaphore(value: 0)

        func find(_ query: ItemQuery) throws(KeychainError) -> [FoundItem] { [] }
        func add(_ item: ItemQuery) throws(KeychainError) -> FoundItem { throw KeychainError(.param, "") }
        func update(_ query: ItemQuery, _ change: ItemChange) throws(KeychainError) {}
        func delete(_ query: ItemQuery) throws(KeychainError) {}
        func status() throws(KeychainError) -> DaemonReport {
            waiting.wait()
            return DaemonReport()
        }
        func applications(_ command: ApplicationCommand) throws(KeychainError) -> [ApplicationDecision] { [] }
        func snapshots(_ command: SnapshotCommand) throws(KeychainError) -> [SnapshotRecord] { [] }
        func check(position: UInt64) throws(KeychainError) -> CheckStep { CheckStep() }
    }

    @Test func aSilentDaemonIsAProblemAndNoHang() {
        let keychain = SilentKeychain()
        let findings = DaemonChecks(keychain: keychain, patienceMilliseconds: 10).findings()
        #expect(findings.map(\.level) == [.problem])
        keychain.waiting.signal()
    }

    @Test func exitStatusAndShape() throws {
        let run = ToolRun(["doctor", "--json"])
        let parsed = try JSONSerialization.jsonObject(with: Data(run.output)) as? [[String: String]]
        let problems = parsed?.filter { $0["level"] == "problem" }.count ?? -1
        #expect(run.exitStatus == (problems > 0 ? 1 : 0) && problems >= 0)
        #expect(ToolRun(["doctor"]).text.split(separator: "\n").count >= 12)
    }
}
