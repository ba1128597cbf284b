import Foundation
import TestSupport
import Testing

/// A developer that makes teams and signs programs in a household, with the built tool.
struct Developers {
    static let team = "ABCDE12345"
    static let shared = "ABCDE12345.shared"

    let household: Household
    private let tool: [String]
    private let uid: uid_t

    /// - Parameters:
    ///   - tool: the words that begin a command line of `security`.
    ///   - uid: the user that starts the tool; the tool may change its user.
    init(in household: Household, tool: [String] = [BuildFolder.program("security")], uid: uid_t? = nil) throws {
        try #require(
            access("\(BuildFolder.daemons)/trustd", X_OK) == 0, "build trustd first: make build CONFIGURATION=debug")
        (self.household, self.tool, self.uid) = (household, tool, uid ?? household.uid)
    }

    /// Makes a developer in a namespace of its own.
    init(in bus: BusHousehold) throws {
        let user = bus.household.uid
        try self.init(
            in: bus.household, tool: bus.entering(user) + ["\(bus.household.home)/security"], uid: geteuid())
    }

    // MARK: The tool

    /// The tool's exit status and all of its output, standard error included.
    @discardableResult
    func tool(_ words: [String], reads input: String = "") throws -> (status: Int32, output: [String]) {
        let program = try Program(
            ["sh", "-c", "exec \"$0\" \"$@\" 2>&1"] + tool + words, uid: uid, environment: household.variables)
        if !input.isEmpty { try program.send(Data(input.utf8)) }
        let output = try program.rest()
        return (try program.finish(), output)
    }

    func require(_ words: [String], reads input: String = "") throws {
        let (status, output) = try tool(words, reads: input)
        try #require(status == 0, "\(words): \(output)")
    }

    /// Runs a command that needs the passcode in a terminal, where a person types the passcode.
    func requireTyping(_ words: [String]) throws {
        let terminal = try TestTerminal()
        if uid != geteuid() { try terminal.give(to: uid) }
        let run = try ChildProcess(
            ["setsid", "--ctty", "--wait"] + tool + words, user: uid,
            environment: household.variables.map { "\($0)=\($1)" },
            files: [(terminal.device, 0), (terminal.device, 1), (terminal.device, 2)], inheritsOthers: false)
        try terminal.expect("Passcode:")
        _ = terminal.settle()
        try terminal.type(Household.passcode + "\r")
        let end = run.wait()
        _ = terminal.settle(milliseconds: 0)
        try #require(end == .exited(0), "\(words): \(terminal.shown)")
    }

    func setPasscode() throws { try require(["passcode", "set", "--stdin"], reads: Household.passcode) }

    /// The output of `security app show` for a program.
    func shown(_ name: String) throws -> String {
        try tool(["app", "show", path(name)]).output.joined(separator: "\n")
    }

    // MARK: Teams

    /// The folder of a team's files.
    func identities(_ folder: String = "identities") -> String { path(folder) }

    func anchor(of team: String = team, in folder: String = "identities") -> String { path("\(folder)/\(team).pem") }

    func signer(of team: String = team, in folder: String = "identities") -> String {
        path("\(folder)/\(team)-signer.pem")
    }

    func makeTeam(_ team: String = team, in folder: String = "identities") throws {
        try require([
            "app", "identity", "create", "--team", team, "--common-name", "Developers of \(team)", path(folder),
        ])
    }

    // MARK: Programs

    func path(_ name: String) -> String { "\(household.home)/\(name)" }

    /// Signs a copy of the probe as a program of the given team with these groups.
    func sign(
        _ name: String, as identifier: String? = nil, groups: [String] = [shared], applicationGroups: [String] = [],
        besides others: [String: Any] = [:], by team: String = team, in folder: String = "identities",
        _ more: [String] = []
    ) throws {
        if access(path(name), F_OK) != 0 { try household.application(name) }
        let entitlements: [String: Any] = [
            "keychain-access-groups": groups, "com.apple.security.application-groups": applicationGroups,
        ].merging(others) { $1 }
        let file = path("\(name).entitlements")
        try PropertyListSerialization.data(fromPropertyList: entitlements, format: .xml, options: 0)
            .write(to: URL(fileURLWithPath: file))
        try household.give(file)
        try require(
            [
                "app", "sign", path(name), "--identity", signer(of: team, in: folder), "--identifier",
                identifier ?? "\(team).com.example.\(name)", "--entitlements", file,
            ] + more)
    }
}
