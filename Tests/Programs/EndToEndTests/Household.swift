import CChatelaine
import ChatelaineIPC
import Foundation
import TestSupport
import Testing

/// A Chatelaine of its own for one test: a private home, the built daemons, and programs that are applications.
///
/// The daemon starts by itself with the first call, and ends with the household.
final class Household: Sendable {
    let home: String
    let uid: uid_t

    private let folder: TemporaryFolder

    /// - Parameters:
    ///   - uid: whose household it is; another than ours needs root.
    ///   - subfolder: where in its folder the home is; it makes paths long.
    init(uid: uid_t = geteuid(), subfolder: String = "") throws {
        self.uid = uid
        folder = try TemporaryFolder()
        home = folder.path + subfolder
        try give(folder.path)
        if !subfolder.isEmpty { try #require(mkdir(home, 0o700) == 0) }
    }

    deinit { dismiss() }

    /// Empty where the variables name no keychain.
    var socketPath: String { (try? client.deployment.socketPath) ?? "" }
    var store: String { "\(home)/data/stores/default" }
    var mark: String { "\(home)/state/stores/default.mark" }

    var variables: [String: String] {
        ["CHATELAINE_HOME": home, "CHATELAINE_LIBEXEC": BuildFolder.daemons, "PATH": Program.searchPath]
    }

    /// A client within the test process, for what `Security` does not show; only our own user's daemon answers it.
    var client: KeychainClient {
        let variables = variables
        var environment = ProcessEnvironment.current
        environment.uid = uid
        environment.variable = { variables[$0] }
        return KeychainClient(environment: environment)
    }

    /// A copy of the probe, or another program built, under a name and owned by the household's user.
    @discardableResult
    func application(_ name: String, of program: String = "probe") throws -> String {
        let path = "\(home)/\(name)"
        try copy("\(BuildFolder.path)/\(program)", to: path)
        return path
    }

    /// A copy of a program, made by a process of its own: a child that is being started beside us would inherit our
    /// open file for a moment, and nobody can run a file that somebody writes.
    func copy(_ program: String, to path: String) throws {
        try #require(try Program(["cp", program, path], environment: ["PATH": Program.searchPath]).finish() == 0)
        try give(path)
    }

    /// A running copy of the probe.
    func probe(_ name: String = "keeper") throws -> ProbeProcess {
        let path = "\(home)/\(name)"
        return try ProbeProcess(access(path, F_OK) == 0 ? path : try application(name), in: self)
    }

    /// What a copy of the attacker says while it goes through its steps.
    func attack(_ words: String..., as uid: uid_t? = nil) throws -> [String] { try attack(words, as: uid) }

    func attack(_ words: [String], as uid: uid_t? = nil) throws -> [String] {
        try Program(words, uid: uid ?? self.uid, environment: variables, isQuiet: true).rest()
    }

    /// Makes a file the household's.
    func give(_ path: String) throws { if uid != geteuid() { try #require(lchown(path, uid, uid) == 0) } }

    // MARK: The daemons

    /// Ends the daemon, if one runs, and waits until it is gone.
    func dismiss() {
        DaemonProcess.end(at: socketPath)
    }

    /// The same for a daemon that is known by its lock alone.
    func dismiss(holdersOf lock: String) { ProcessTable.holders(of: lock).forEach { DaemonProcess.end($0) } }

    /// The daemon's process, as its socket tells it.
    var daemonPID: pid_t? { DaemonProcess.pid(at: socketPath) }

    /// The daemon's helpers: who starts the key custodian, who starts those that look at callers, and who starts dialogs.
    var helperPIDs: [pid_t] { daemonPID.map { ProcessTable.children(of: $0) } ?? [] }

    /// The key custodian's process: a child of one of the helpers.
    var custodianPID: pid_t? {
        helperPIDs.flatMap { ProcessTable.children(of: $0) }.first { ProcessTable.name(of: $0) == "enclaved" }
    }

    /// Whoever starts those that calculate with keys, beside the custodian.
    var keydPID: pid_t? {
        helperPIDs.flatMap { ProcessTable.children(of: $0) }.first { ProcessTable.name(of: $0) == "keyd" }
    }

    var keyWorkerPIDs: [pid_t] { keydPID.map { ProcessTable.children(of: $0) } ?? [] }

    /// Those that look at callers: children of another one.
    var procHelperPIDs: [pid_t] {
        helperPIDs.flatMap { ProcessTable.children(of: $0) }.filter { ProcessTable.name(of: $0) == "securityd-look" }
    }

    /// Daemons that serve this household, by the lock file that they hold open.
    var daemons: [pid_t] { ProcessTable.holders(of: "\(home)/data/daemon.lock") }
}
