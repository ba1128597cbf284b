import CChatelaine
import Foundation
import TestSupport
import Testing

/// A household in its own mount namespace, whose system bus belongs to the test.
///
/// Daemons and programs start in that namespace, since the daemon judges only programs of its own namespace. Needs
/// root.
final class BusHousehold: Sendable {
    static let configuration = """
        <busconfig>
          <type>system</type>
          <listen>unix:path=/run/dbus/system_bus_socket</listen>
          <auth>EXTERNAL</auth>
          <policy context="default">
            <allow user="*"/>
            <allow own="*"/>
            <allow send_destination="*"/>
            <allow receive_sender="*"/>
          </policy>
        </busconfig>
        """

    /// A bus accepts only users that the machine knows.
    private static let preparation = """
        mount -t tmpfs tmpfs /run && mkdir /run/dbus && cp /etc/passwd "$0/passwd" &&
        echo "tester:x:$1:$1::/:/bin/false" >>"$0/passwd" && mount --bind "$0/passwd" /etc/passwd &&
        echo ready && exec cat
        """

    let household: Household
    /// The process that keeps the namespace alive.
    private let keeper: Program
    /// A program of the user's that asks for the state; nil where the test starts the daemon.
    private let watcher: ProbeProcess?

    init(user: uid_t, startsDaemon: Bool = true) throws {
        household = try Household(uid: user)
        try household.application("security", of: "security")
        try Self.configuration.write(toFile: household.home + "/bus.conf", atomically: true, encoding: .utf8)
        keeper = try Program(
            ["unshare", "-m", "--propagation", "private", "sh", "-c", Self.preparation, household.home, "\(user)"],
            environment: ["PATH": Program.searchPath])
        _ = try keeper.line()
        watcher = startsDaemon ? try Self.probe("watcher", in: household, keeper.pid) : nil
    }

    /// The path of the bus's socket outside the namespace.
    var socketPath: String { "/proc/\(keeper.pid)/root/run/dbus/system_bus_socket" }

    /// The words that begin a command line, so that it runs as the user in the namespace.
    func entering(_ user: uid_t) -> [String] {
        [
            "nsenter", "-m", "-t", "\(keeper.pid)", "setpriv", "--reuid", "\(user)", "--regid", "\(user)",
            "--clear-groups", "--",
        ]
    }

    /// Starts a program in the namespace.
    func program(_ words: [String], as user: uid_t = 0, isQuiet: Bool = false) throws -> Program {
        let become = user == 0 ? [] : ["setpriv", "--reuid", "\(user)", "--regid", "\(user)", "--clear-groups", "--"]
        return try Program(
            ["nsenter", "-m", "-t", "\(keeper.pid)"] + become + words, uid: 0, environment: household.variables,
            isQuiet: isQuiet)
    }

    func startBus() throws -> Program {
        unlink(socketPath)
        let bus = try program(
            [
                "dbus-daemon", "--config-file=\(household.home)/bus.conf", "--nofork", "--nopidfile", "--nosyslog",
                "--print-address",
            ])
        _ = try bus.line()
        return bus
    }

    func startLogind(_ words: String...) throws -> FakeLogind {
        try FakeLogind(program(["\(BuildFolder.path)/fake-logind", "logind", "\(household.uid)"] + words))
    }

    /// Starts a program of another user that sends the messages of logind.
    func startStranger(to name: String) throws -> FakeLogind {
        try FakeLogind(program(["\(BuildFolder.path)/fake-logind", "stranger", name]))
    }

    func startFprintd() throws -> FakeFprintd {
        try FakeFprintd(program(["\(BuildFolder.path)/fake-fprintd", "fprintd"]))
    }

    /// Starts a program of another user that sends the messages of a fingerprint reader.
    func startFingerStranger(to name: String, path: String) throws -> FakeFprintd {
        try FakeFprintd(program(["\(BuildFolder.path)/fake-fprintd", "stranger", name, path]))
    }

    func probe(_ name: String = "keeper") throws -> ProbeProcess {
        try Self.probe(name, in: household, keeper.pid)
    }

    private static func probe(_ name: String, in household: Household, _ keeper: pid_t) throws -> ProbeProcess {
        let user = "\(household.uid)"
        let path = "\(household.home)/\(name)"
        return try ProbeProcess(
            access(path, F_OK) == 0 ? path : try household.application(name), in: household,
            prefix: [
                "nsenter", "-m", "-t", "\(keeper)", "setpriv", "--reuid", user, "--regid", user, "--clear-groups", "--",
            ], uid: 0)
    }

    /// Runs the `security` command with some input; returns its exit status.
    @discardableResult
    func security(_ words: String..., reads input: String = "") throws -> Int32 {
        let run = try program(["\(household.home)/security"] + words, as: household.uid)
        if !input.isEmpty { try run.send(Data(input.utf8)) }
        return try run.finish()
    }

    /// Changes the idle lock, which takes the passcode; the change is refused without a passcode or a terminal.
    func setIdleLock(_ seconds: String) throws -> Int32 {
        try security("settings", "--idle-lock", seconds, "--stdin", reads: Household.passcode)
    }

    func unlock() throws { try #require(try security("unlock", "--stdin", reads: Household.passcode) == 0) }

    /// The state of the device, in the word of the report.
    var state: String { get throws { try fact("device.state") } }
    var hearing: String { get throws { try fact("device.events") } }

    private func fact(_ name: String) throws -> String {
        try watcher?.decide("status").dictionary?[name] as? String ?? ""
    }

    func wait(for what: String, within seconds: Double = 30, _ isThere: () throws -> Bool) throws {
        try until(what, within: seconds, every: 2_000, isThere)
    }

    func waitUntilHeard() throws { try wait(for: "hearing") { try hearing == "complete" } }
    func waitUntilLocked(within seconds: Double = 30) throws {
        try wait(for: "lock", within: seconds) { try state == "locked" }
    }

    /// Expects the device to stay unlocked.
    ///
    /// The wait is many times as long as a lock takes.
    func expectUnlocked(_ location: SourceLocation = #_sourceLocation) throws {
        usleep(300_000)
        #expect(try state == "unlocked", sourceLocation: location)
    }

    var listenerPID: pid_t? { household.helperPIDs.first { ProcessTable.name(of: $0) == "securityd-hear" } }
}

/// The fixture of that name, which takes one line at a time.
final class FakeLogind: Sendable {
    private let program: Program

    init(_ program: Program) throws {
        self.program = program
        _ = try program.line()
    }

    @discardableResult
    func tell(_ words: String) throws -> String {
        try program.send(Data(words.utf8))
        return String(decoding: try program.line(), as: UTF8.self)
    }

    /// The number of inhibitors that are held now.
    var inhibitors: Int {
        get throws { Int(try tell("inhibitors").split(separator: " ").last ?? "") ?? -1 }
    }

    /// The unique names of all other connections to the bus.
    var names: [String] { get throws { try tell("names").split(separator: " ").map { String($0) } } }

    func end() { _ = try? program.finish() }
}
