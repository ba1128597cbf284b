import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import Foundation
import Testing

@testable import SecurityTool

/// Tests of the doctor's findings about folders, the machine and the daemon.
struct DoctorTests {
    private final class Folder {
        let path: String

        init() throws {
            path = FileManager.default.temporaryDirectory.path + "/doctor-" + UUID().uuidString
            for folder in ["", "/data", "/data/stores", "/state"] { mkdir(path + folder, 0o700) }
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        func deployment() throws -> Deployment {
            let home = path
            return try Deployment.current(
                ProcessEnvironment(
                    uid: geteuid(), home: home, variable: { $0 == "CHATELAINE_HOME" ? home : nil },
                    isOwnFolder: { _ in true }, isSystemMode: { false }))
        }

        func findings() throws -> [String: Finding] {
            let found = FolderChecks(deployment: try deployment(), uid: geteuid()).findings()
            return Dictionary(uniqueKeysWithValues: found.map { ($0.name, $0) })
        }
    }

    @Test func soundFoldersAreSound() throws {
        let folder = try Folder()
        #expect(FileManager.default.createFile(atPath: folder.path + "/data/stores/a", contents: nil))
        chmod(folder.path + "/data/stores/a", 0o600)
        let findings = try folder.findings()
        #expect(findings.values.allSatisfy { $0.level == .ok }, "\(findings)")
        #expect(findings["folder.runtime"]?.text.contains("not there yet") == true)
    }

    @Test func openFoldersFilesAndLinksAreProblems() throws {
        let folder = try Folder()
        chmod(folder.path + "/state", 0o755)
        #expect(FileManager.default.createFile(atPath: folder.path + "/data/stores/a", contents: nil))
        chmod(folder.path + "/data/stores/a", 0o640)
        var findings = try folder.findings()
        #expect(findings["folder.state"]?.remedy == "chmod go-rwx \(folder.path)/state")
        #expect(findings["folder.data"]?.remedy == "chmod go-rwx \(folder.path)/data/stores/a")
        unlink(folder.path + "/data/stores/a")
        symlink("/etc/passwd", folder.path + "/data/stores/a")
        chmod(folder.path, 0o777)
        findings = try folder.findings()
        #expect(findings["folder.data"]?.text.contains("can be changed by others") == true)
        chmod(folder.path, 0o700)
        #expect(try folder.findings()["folder.data"]?.text.hasSuffix("is a symbolic link") == true)
    }

    /// The owner cannot read or write a folder, or something else stands in its place; the advice fits the cause.
    @Test func whatCannotBeUsedIsAProblemWithItsRemedy() throws {
        let folder = try Folder()
        // Root needs no permission, so root checks the files for another user.
        let uid: uid_t = geteuid() == 0 ? 23_456 : geteuid()
        let store = folder.path + "/data/stores/default"
        mkdir(store, 0o700)
        #expect(FileManager.default.createFile(atPath: store + "/items.db", contents: nil))
        chmod(store + "/items.db", 0o600)
        for path in ["", "/data", "/data/stores", "/data/stores/default", "/data/stores/default/items.db", "/state"] {
            chown(folder.path + path, uid, gid_t.max)
        }
        func finding() throws -> Finding? {
            FolderChecks(deployment: try folder.deployment(), uid: uid).findings().first { $0.name == "folder.data" }
        }
        #expect(try finding()?.level == .ok)
        for (path, mode) in [(store, 0o000), (store, 0o500), (store + "/items.db", 0o400), (store + "/items.db", 0)]
            as [(String, mode_t)]
        {
            let usual: mode_t = path == store ? 0o700 : 0o600
            chmod(path, mode)
            let found = try finding()
            #expect(found?.level == .problem && found?.text == "\(path): Permission denied", "\(path) \(mode)")
            #expect(found?.remedy.hasPrefix("chmod u+rwX \(path)") == true)
            chmod(path, usual)
        }
        unlink(store + "/items.db")
        rmdir(store)
        #expect(FileManager.default.createFile(atPath: store, contents: nil))
        chown(store, uid, gid_t.max)
        #expect(try finding()?.text == "\(store): Not a directory")
        #expect(try finding()?.remedy.hasPrefix("move away") == true)
    }

    @Test func machineChecksSaySomethingAboutEverything() {
        let names = (KernelChecks().findings() + NamespaceChecks().findings()).map(\.name)
        #expect(names.count == 9 && Set(names).count == 9)
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
        bad.add("enclave.dumpable", 1)
        bad.add("enclave.memory.unlocked", 4096)
        bad.add("kernel.pidfd", "degraded")
        bad.add("caller.assurance", "degraded")
        let levels = DaemonChecks.findings(bad).map(\.level)
        #expect(levels == [.degraded, .problem, .degraded, .problem, .degraded, .degraded, .degraded])
        // Missing changes are a problem until somebody acknowledges them.
        report.add("store.missing.changes", 6)
        report.add("store.missing.since", 3)
        report.add("store.missing.date", date: 816_000_000)
        report.add("store.missing.lost", 4)
        let missing = try #require(DaemonChecks.findings(report).first { $0.level != .ok })
        #expect(missing.level == .problem && missing.name == "store.missing")
        #expect(missing.text == "up to 6 changes since 2026-11-10T10:40:00Z may be missing; 4 items are lost")
        #expect(missing.remedy.contains("security check --acknowledge"))
        var incomplete = DaemonReport()
        incomplete.add("keychains.missing", 3)
        incomplete.add("keychains.missing.1", "/k/a-db")
        incomplete.add("keychains.missing.2", "/k/b-db")
        let told = try #require(DaemonChecks.findings(incomplete).first { $0.name == "keychains.missing" })
        #expect(told.level == .problem && told.remedy.contains("security check --acknowledge"))
        #expect(told.text == "something may be missing from 3 file keychains: /k/a-db, /k/b-db and others")
        var replaced = DaemonReport()
        replaced.add("store.resealing", "42 % done")
        let resealing = try #require(DaemonChecks.findings(replaced).first { $0.name == "store.resealing" })
        #expect(resealing.level == .degraded && resealing.text.contains("not yet protected"))
        #expect(resealing.text.contains("42 % done"))
        var refused = DaemonReport()
        refused.add("caller.assurance", "shared")
        #expect(DaemonChecks.findings(refused).allSatisfy { $0.level == .ok })
        refused.add("looks.unanswered", 2)
        #expect(
            DaemonChecks.findings(refused).contains { $0.name == "program.unanswered" && $0.level == .degraded })
        refused = DaemonReport()
        refused.add("caller.assurance", "shared")
        refused.add("caller.reason", "its file changed")
        #expect(DaemonChecks.findings(refused).map(\.level) == [.ok, .problem])
        #expect(DaemonChecks.findings(DaemonReport()).map(\.level) == [.ok])
        // The store reports the error. The caller cannot be identified then, and does not repeat it.
        var closed = DaemonReport()
        closed.add("store.error", "/home/anna: Permission denied")
        closed.add("caller.reason", "/home/anna: Permission denied")
        #expect(DaemonChecks.findings(closed).map(\.name) == ["daemon.reachable", "store.open"])
    }

    @Test func interpretersAreShownWhereThereIsAListOfThem() {
        var report = DaemonReport()
        report.add("interpreters.added", 2)
        #expect(InterpreterChecks.findings(report).map(\.level) == [.ok])
        report.add("interpreters.defect", "/etc/chatelaine/interpreters is not used: it is no regular file")
        let finding = InterpreterChecks.findings(report).first
        #expect(finding?.level == .degraded && finding?.text.contains("is not used") == true)
        #expect(finding?.remedy.isEmpty == false)
        #expect(InterpreterChecks.findings(DaemonReport()).isEmpty)
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

    /// A daemon that accepts the call and never answers.
    private struct SilentKeychain: KeychainService {
        var deployment: Deployment { get throws(KeychainError) { try Deployment.current() } }
        let waiting = DispatchSemaphore(value: 0)

        func find(_ query: ItemQuery) throws(KeychainError) -> [FoundItem] { [] }
        func listAll(_ query: ItemQuery, passcode: SecretBytes) throws(KeychainError) -> [FoundItem] { [] }
        func add(_ item: NewItem) throws(KeychainError) -> FoundItem { throw KeychainError(.param, "") }
        func update(_ query: ItemQuery, _ change: ItemChange) throws(KeychainError) {}
        func delete(_ query: ItemQuery) throws(KeychainError) {}
        func status() throws(KeychainError) -> DaemonReport {
            waiting.wait()
            return DaemonReport()
        }
        func applications(
            _ command: ApplicationCommand, passcode: SecretBytes?
        ) throws(KeychainError) -> [ApplicationDecision] { [] }
        func teams(_ command: TeamCommand, passcode: SecretBytes?) throws(KeychainError) -> [TeamDescription] { [] }
        func evaluate(_ question: TrustQuestion) throws(KeychainError) -> TrustVerdict {
            throw KeychainError(.notAvailable, "nobody judges certificates here")
        }

        func systemRoots() throws(KeychainError) -> [[UInt8]] { [] }
        func makeKey(_ pair: NewKeyPair, in path: String?) throws(KeychainError) -> KeychainItem {
            throw KeychainError(.param, "")
        }
        func read(certificates: [[UInt8]]) throws(KeychainError) -> [CertificateReading] { [] }
        func read(
            _ file: ExternalFile, asking question: OperationPrompt?
        ) throws(KeychainError) -> ExternalContent { throw KeychainError(.param, "") }
        func write(
            _ order: ExternalOrder, asking question: OperationPrompt?
        ) throws(KeychainError) -> SecretBytes { throw KeychainError(.param, "") }
        func read(_ message: CMSMessage) throws(KeychainError) -> CMSContent { throw KeychainError(.param, "") }
        func write(_ order: CMSOrder) throws(KeychainError) -> SecretBytes { throw KeychainError(.param, "") }
        func useKey(_ use: KeyUsage) throws(KeychainError) -> SecretBytes { throw KeychainError(.param, "") }
        func useKey(_ use: KeyUsage, in scope: KeychainScope) throws(KeychainError) -> SecretBytes {
            throw KeychainError(.param, "")
        }

        func trustSettings(
            _ command: TrustSettingsCommand, passcode: SecretBytes?
        ) throws(KeychainError) -> [TrustSetting] { [] }

        func application(at path: String) throws(KeychainError) -> ApplicationDescription {
            throw KeychainError(.param, "")
        }
        func adopt(_ request: AdoptItems, passcode: SecretBytes?) throws(KeychainError) -> AdoptionReport {
            throw KeychainError(.param, "")
        }
        func snapshots(
            _ command: SnapshotCommand, passcode: SecretBytes?
        ) throws(KeychainError) -> [SnapshotRecord] { [] }
        func check(position: UInt64, keychain: String?) throws(KeychainError) -> CheckStep { CheckStep() }
        func losses(_ command: LossCommand) throws(KeychainError) -> LossSummary { LossSummary() }
        func authentication() throws(KeychainError) -> AuthenticationReport {
            waiting.wait()
            return AuthenticationReport()
        }
        func device(_ command: DeviceCommand) throws(KeychainError) -> DeviceReport { DeviceReport() }
        func settings(_ command: SettingsCommand, passcode: SecretBytes?) throws(KeychainError) -> DeviceSettings {
            DeviceSettings()
        }
        func call(_ command: PasscodeCommand, _ passcodes: [SecretBytes]) throws(KeychainError) -> DeviceReport {
            DeviceReport()
        }
        func call(
            _ command: KeychainPasswordCommand, _ passwords: [SecretBytes]
        ) throws(KeychainError) -> KeychainPasswordReport { KeychainPasswordReport() }
        func carryOut(_ command: KeychainCommand) throws(KeychainError) {}
        func state(ofKeychain path: KeychainPath) throws(KeychainError) -> KeychainState { KeychainState() }
        func resetKeychains(password: SecretBytes) throws(KeychainError) -> String? { nil }
        func ask(_ question: KeychainQuestion) throws(KeychainError) {}
        func settings(ofKeychain path: KeychainPath, _ ui: AuthenticationUI) throws(KeychainError) -> KeychainSettings {
            KeychainSettings()
        }
        func set(
            _ settings: KeychainSettings, ofKeychain path: KeychainPath, _ ui: AuthenticationUI
        ) throws(KeychainError) {}
        func read(_ preference: KeychainPreference, of domain: PreferenceDomain) throws(KeychainError) -> [String] {
            []
        }
        func set(
            _ preference: KeychainPreference, of domain: PreferenceDomain, to places: [String]
        ) throws(KeychainError) {}
        func find(_ query: ItemQuery, in scope: KeychainScope) throws(KeychainError) -> [KeychainItem] { [] }
        func add(_ item: NewItem, to keychain: KeychainPath?) throws(KeychainError) -> KeychainItem {
            throw KeychainError(.param, "")
        }
        func update(_ query: ItemQuery, _ change: ItemChange, in scope: KeychainScope) throws(KeychainError) {}
        func delete(_ query: ItemQuery, in scope: KeychainScope, asksPerson: Bool) throws(KeychainError) {}
        func access(
            of item: KeychainItemReference, in path: String, _ ui: AuthenticationUI
        ) throws(KeychainError) -> AccessObject { .open }
        func setAccess(
            _ access: AccessObject, of item: KeychainItemReference, in path: String, _ ui: AuthenticationUI
        ) throws(KeychainError) {}
        func setAccess(
            _ changes: [ItemAccess], in path: String, password: SecretBytes
        ) throws(KeychainError) -> KeychainPasswordReport { KeychainPasswordReport() }
        func trustedApplication(at path: String?) throws(KeychainError) -> TrustedApplication {
            throw KeychainError(.param, "")
        }
    }

    @Test func aSilentDaemonIsAProblemAndNoHang() {
        let keychain = SilentKeychain()
        let findings = DaemonChecks(keychain: keychain, patienceMilliseconds: 10).findings()
        #expect(findings.map(\.level) == [.problem])
        keychain.waiting.signal()
    }

    /// The doctor has a note about the reader in every state, and none from a daemon that refuses.
    @Test(arguments: [
        (BiometryAvailability.notAvailable, true, "no fingerprint reader"),
        (.notEnrolled, true, "no finger is enrolled"),
        (.lockedOut, false, "once there is a passcode"), (.lockedOut, true, "once the passcode was given"),
        (.ready, true, "as well as the passcode"),
    ])
    func theReaderIsANote(biometry: BiometryAvailability, hasPasscode: Bool, words: String) throws {
        let keychain = FakeKeychain()
        keychain.authenticationReport.withLock {
            $0.biometry = biometry
            $0.hasPasscode = hasPasscode
        }
        let finding = try #require(DaemonChecks(keychain: keychain).findings().last)
        #expect(finding.name == "device.fingerprint" && finding.level == .ok && finding.remedy.isEmpty)
        #expect(finding.text.contains(words), "\(finding.text)")
    }

    @Test func aReaderThatDoesNotAnswerIsANoteAndNoHang() {
        let keychain = SilentKeychain()
        let findings = FingerprintCheck(keychain: keychain, patienceMilliseconds: 10).findings()
        #expect(findings.map(\.level) == [.ok] && findings.first?.text.contains("does not answer") == true)
        keychain.waiting.signal()
    }

    /// A question about a silent reader takes seconds, and `status` does not wait for that.
    @Test func onlyTheDoctorAsksForAReader() {
        let keychain = FakeKeychain()
        #expect(ToolRun(["status"], keychain: keychain).exitStatus == 0 && !keychain.hasAskedForReader)
        _ = ToolRun(["doctor"], keychain: keychain)
        #expect(keychain.hasAskedForReader)
    }

    /// An environment that names no keychain is one finding, and no daemon is asked then.
    @Test func aHomeThatCannotBeUsedIsAProblem() {
        var environment = ProcessEnvironment.current
        environment.variable = { ["CHATELAINE_HOME": "here"][$0] }
        let doctor = Doctor(keychain: KeychainClient(environment: environment), environment: environment)
        let findings = doctor.findings()
        let last = findings.last
        #expect(last?.name == "deployment" && last?.level == .problem)
        #expect(last?.text.contains("CHATELAINE_HOME is a relative path") == true)
        #expect(!findings.contains { $0.name.hasPrefix("daemon.") || $0.name.hasPrefix("folder.") })
    }

    @Test func exitStatusAndShape() throws {
        let run = ToolRun(["doctor", "--json"])
        let parsed = try JSONSerialization.jsonObject(with: Data(run.output)) as? [[String: String]]
        let problems = parsed?.filter { $0["level"] == "problem" }.count ?? -1
        #expect(run.exitStatus == (problems > 0 ? 1 : 0) && problems >= 0)
        #expect(ToolRun(["doctor"]).text.split(separator: "\n").count >= 12)
    }

    @Test func lostSettingsOfTrustAreNamed() {
        var report = DaemonReport()
        #expect(TrustSettingsCheck.findings(report).isEmpty)
        report.add("trust.problem", "the settings are not there")
        let findings = TrustSettingsCheck.findings(report)
        #expect(findings.map(\.name) == ["trust.settings"] && findings.first?.level == .problem)
        #expect(findings.first?.text.contains("the settings are not there") == true)
        #expect(findings.first?.remedy.contains("security remove-trusted-cert -a") == true)
    }
}
