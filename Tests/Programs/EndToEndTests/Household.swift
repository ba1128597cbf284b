import CChatelaine
import ChatelaineIPC
import Foundation
import TestSupport
import Testing

/// One test's own Chatelaine: a private home, the built daemons, and programs that are applications.
///
/// The daemon starts with the first call, and ends with the household.
final class Household: Sendable {
    let home: String
    let uid: uid_t

    private let folder: TemporaryFolder

    /// - Parameters:
    ///   - uid: the owner of the household; needs root if it is another user than ours.
    ///   - subfolder: the place of the home in its folder, which makes paths long.
    init(uid: uid_t = geteuid(), subfolder: String = "") throws {
        self.uid = uid
        folder = try TemporaryFolder()
        home = folder.path + subfolder
        try give(folder.path)
        if !subfolder.isEmpty { try #require(mkdir(home, 0o700) == 0) }
    }

    deinit { dismiss() }

    /// The path of the daemon's socket; empty where the variables name no keychain.
    var socketPath: String { (try? client.deployment.socketPath) ?? "" }
    var store: String { "\(home)/data/stores/default" }
    var mark: String { "\(home)/state/stores/default.mark" }

    var variables: [String: String] {
        ["CHATELAINE_HOME": home, "CHATELAINE_LIBEXEC": BuildFolder.daemons, "PATH": Program.searchPath]
    }

    /// A client in the test process for what `Security` does not show; it reaches only a daemon of our own user.
    var client: KeychainClient {
        let variables = variables
        var environment = ProcessEnvironment.current
        environment.uid = uid
        environment.variable = { variables[$0] }
        return KeychainClient(environment: environment)
    }

    /// Copies the probe or another built program to a name, owned by the household's user.
    @discardableResult
    func application(_ name: String, of program: String = "probe") throws -> String {
        let path = "\(home)/\(name)"
        try copy("\(BuildFolder.path)/\(program)", to: path)
        return path
    }

    /// Copies a program in a process of its own.
    ///
    /// A child that another test starts meanwhile would inherit our open file, and a file that a process holds open for
    /// writing cannot be run.
    func copy(_ program: String, to path: String) throws {
        try #require(try Program(["cp", program, path], environment: ["PATH": Program.searchPath]).finish() == 0)
        try give(path)
    }

    /// A running copy of the probe.
    func probe(_ name: String = "keeper") throws -> ProbeProcess {
        let path = "\(home)/\(name)"
        return try ProbeProcess(access(path, F_OK) == 0 ? path : try application(name), in: self)
    }

    /// The output of a copy of the attacker that goes through its steps.
    func attack(_ words: String..., as uid: uid_t? = nil) throws -> [String] { try attack(words, as: uid) }

    func attack(_ words: [String], as uid: uid_t? = nil) throws -> [String] {
        try Program(words, uid: uid ?? self.uid, environment: variables, isQuiet: true).rest()
    }

    /// Gives a file to the household's user.
    func give(_ path: String) throws { if uid != geteuid() { try #require(lchown(path, uid, uid) == 0) } }

    // MARK: The daemons

    /// Ends the daemon, if one runs, and waits until it is gone.
    func dismiss() {
        DaemonProcess.end(at: socketPath)
    }

    /// Ends daemons that are known by their lock alone, and waits until they are gone.
    func dismiss(holdersOf lock: String) { ProcessTable.holders(of: lock).forEach { DaemonProcess.end($0) } }

    /// The process at the other end of the daemon's socket.
    var daemonPID: pid_t? { DaemonProcess.pid(at: socketPath) }

    /// The daemon's helpers, which start the key custodian, the inspectors of callers, and dialogs.
    var helperPIDs: [pid_t] { daemonPID.map { ProcessTable.children(of: $0) } ?? [] }

    /// The process of the key custodian, a child of one of the helpers.
    var custodianPID: pid_t? {
        helperPIDs.flatMap { ProcessTable.children(of: $0) }.first { ProcessTable.name(of: $0) == "enclaved" }
    }

    /// The process that starts keyd's workers, beside the custodian.
    var keydPID: pid_t? {
        helperPIDs.flatMap { ProcessTable.children(of: $0) }.first { ProcessTable.name(of: $0) == "keyd" }
    }

    var keyWorkerPIDs: [pid_t] { keydPID.map { ProcessTable.children(of: $0) } ?? [] }

    /// The processes that fork the workers for files of keys; usually one.
    var formatdPIDs: [pid_t] {
        helperPIDs.flatMap { ProcessTable.children(of: $0) }.filter { ProcessTable.name(of: $0) == "formatd" }
    }

    /// The processes that inspect callers, children of another helper.
    var procHelperPIDs: [pid_t] {
        helperPIDs.flatMap { ProcessTable.children(of: $0) }.filter { ProcessTable.name(of: $0) == "securityd-look" }
    }

    /// The daemons that serve this household, found by the lock file that they hold open.
    var daemons: [pid_t] { ProcessTable.holders(of: "\(home)/data/daemon.lock") }
}
