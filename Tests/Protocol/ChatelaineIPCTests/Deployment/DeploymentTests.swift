import ChatelaineIPC
import ChatelaineModel
import Foundation
import TestSupport
import Testing

/// Tests of where files and sockets are (behaviour/deployment.md, 1 to 4).
struct DeploymentTests {
    static func environment(
        _ variables: [String: String] = [:], folders: Set<String> = ["/run/user/1000", "/xdg"], system: Bool = false
    ) -> ProcessEnvironment {
        ProcessEnvironment(
            uid: 1000, home: "/home/eve", variable: { variables[$0] }, isOwnFolder: { folders.contains($0) },
            isSystemMode: { system })
    }

    static func folders(_ environment: ProcessEnvironment) throws -> [String] {
        let deployment = try Deployment.current(environment)
        return [deployment.dataFolder, deployment.stateFolder, deployment.runtimeFolder]
    }

    @Test func defaults() throws {
        let deployment = try Deployment.current(Self.environment())
        #expect(deployment.mode == .user)
        #expect(deployment.dataFolder == "/home/eve/.local/share/chatelaine")
        #expect(deployment.stateFolder == "/home/eve/.local/state/chatelaine")
        #expect(deployment.runtimeFolder == "/run/user/1000/chatelaine")
        #expect(deployment.socketPath == "/run/user/1000/chatelaine/securityd.sock")
        #expect(
            !deployment.stateFolder.hasPrefix(deployment.dataFolder), "the custodian's state is apart from the data")
        #expect(deployment.enclaveFolder.hasPrefix(deployment.stateFolder))
    }

    @Test func variables() throws {
        let xdg = ["XDG_DATA_HOME": "/d/", "XDG_STATE_HOME": "/s", "XDG_RUNTIME_DIR": "/xdg"]
        #expect(try Self.folders(Self.environment(xdg)) == ["/d/chatelaine", "/s/chatelaine", "/xdg/chatelaine"])
        let home = xdg.merging(["CHATELAINE_HOME": "/one///"]) { $1 }
        #expect(try Self.folders(Self.environment(home)) == ["/one/data", "/one/state", "/one/run"])
    }

    /// The folder of the machine's keychains is made only for the home of root's account.
    @Test func whatIsApart() throws {
        var environment = Self.environment()
        #expect(!environment.isApart)
        environment.isHomeOfAccount = { false }
        #expect(environment.isApart)
        #expect(Self.environment(["CHATELAINE_HOME": "/one"]).isApart)
        #expect(!Self.environment(["CHATELAINE_HOME": "/one"], system: true).isApart)
    }

    /// The user database may be on another machine.
    @Test func noFolderIsDecidedByTheUserDatabase() throws {
        var environment = Self.environment()
        environment.isHomeOfAccount = {
            Issue.record("the user database was asked")
            return true
        }
        for variables in [[:], ["CHATELAINE_HOME": "/one"]] as [[String: String]] {
            environment.variable = { variables[$0] }
            _ = try Deployment.current(environment)
        }
    }

    /// The XDG Base Directory Specification has this rule for its variables.
    @Test(arguments: ["", "relative", "./here", "~/x"])
    func whatIsNotAbsoluteDoesNotCountForXDG(_ value: String) throws {
        let variables = ["XDG_DATA_HOME": value, "XDG_STATE_HOME": value, "XDG_RUNTIME_DIR": value]
        #expect(try Self.folders(Self.environment(variables)) == Self.folders(Self.environment()))
    }

    static let unusable = [
        "", "relative", "./here", "../here", "~/x", "~", "/caf\u{FFFD}", "/" + String(repeating: "n", count: 256),
        String(repeating: "/long", count: 800),
    ]

    /// The client never uses another keychain instead (behaviour/deployment.md, 2).
    @Test(arguments: ["CHATELAINE_HOME", "CHATELAINE_LIBEXEC"], DeploymentTests.unusable)
    func whatCannotBeUsedIsRefused(_ name: String, _ value: String) throws {
        let environment = Self.environment([name: value])
        do {
            let deployment = try Deployment.current(environment)
            Issue.record("\(deployment)")
        } catch {
            #expect(error.status == .notAvailable)
            #expect(error.reason.hasPrefix(name + " ") && error.reason.hasSuffix("or unset it"))
        }
        let client = KeychainClient(environment: environment)
        #expect(throws: KeychainError(.notAvailable, "")) { try client.deployment }
        #expect(throws: KeychainError(.notAvailable, "")) { try client.status() }
        // In system mode, which ignores the environment, this variable is ignored too.
        #expect(try Deployment.current(Self.environment([name: value], system: true)).mode == .system)
    }

    /// A home that names a file is refused at the first call: the keychain that it names does not exist.
    @Test func aHomeThatIsAFile() throws {
        let folder = try TemporaryFolder()
        let file = folder.path + "/file"
        try #require(FileManager.default.createFile(atPath: file, contents: nil))
        var environment = ProcessEnvironment.current
        environment.variable = { ["CHATELAINE_HOME": file][$0] }
        do {
            _ = try KeychainClient(environment: environment).status()
            Issue.record("there is an answer")
        } catch {
            #expect(error.status == .notAvailable && error.reason.contains(file))
        }
    }

    @Test func systemModeTakesNothingFromTheEnvironment() throws {
        let variables = ["CHATELAINE_HOME": "/one", "XDG_DATA_HOME": "/d", "XDG_RUNTIME_DIR": "/xdg"]
        let deployment = try Deployment.current(Self.environment(variables, system: true))
        #expect(try deployment == Deployment.current(Self.environment(system: true)))
        #expect(deployment.mode == .system && deployment.socketPath == "/run/chatelaine/securityd.sock")
        #expect(deployment.dataFolder.hasPrefix("/var/lib/chatelaine/"))
    }

    @Test func secureExecutionTakesNothingFromTheEnvironment() throws {
        // Under AT_SECURE, no variable is visible; `ProcessEnvironment.current` then behaves like this one.
        let secure = Self.environment()
        #expect(secure.path("CHATELAINE_HOME") == nil)
        #expect(try Self.folders(secure)[0].hasPrefix("/home/eve/"))
    }

    @Test func aRuntimeFolderThatIsNotThere() throws {
        for variables in [[:], ["XDG_RUNTIME_DIR": "/gone"]] {
            let deployment = try Deployment.current(Self.environment(variables, folders: []))
            #expect(deployment.runtimeFolder == "/home/eve/.local/state/chatelaine/run")
        }
        let moved = try Deployment.current(Self.environment(["XDG_STATE_HOME": "/s"], folders: []))
        #expect(moved.runtimeFolder == "/s/chatelaine/run", "nothing is ever where another user could be first")
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a folder away"))
    func aRuntimeFolderOfAnotherUserDoesNotCount() throws {
        let folder = try TemporaryFolder(owner: 20001)
        var environment = Self.environment(["XDG_RUNTIME_DIR": folder.path])
        environment.isOwnFolder = ProcessEnvironment.current.isOwnFolder
        #expect(try Deployment.current(environment).runtimeFolder == "/home/eve/.local/state/chatelaine/run")
        #expect(chown(folder.path, 0, 0) == 0)
        #expect(try Deployment.current(environment).runtimeFolder == folder.path + "/chatelaine")
    }

    /// Root's folders in the home of somebody would lock them out of `~/.local`.
    @Test func rootLeavesHomesOfOthersAlone() throws {
        var environment = Self.environment()
        environment.strangerAtHome = { "ada" }
        let error = #expect(throws: KeychainError.self) { try Deployment.current(environment) }
        #expect(error?.status == .notAvailable && error?.reason.contains("sudo -H") == true)
        // Nothing would be made in the home.
        for variables in [["CHATELAINE_HOME": "/one"], ["XDG_DATA_HOME": "/d", "XDG_STATE_HOME": "/s"]] {
            environment.variable = { variables[$0] }
            _ = try Deployment.current(environment)
        }
    }

    /// The account `nobody` of another user, and a home that is nobody's as in a container.
    @Test(.enabled(if: geteuid() == 0, "only root is asked"))
    func whoseHomeItIs() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder(owner: 20001)
            setenv("HOME", folder.path, 1)
            guard ProcessEnvironment.current.strangerAtHome() == nil else { exit(1) }
            setenv("HOME", "/root", 1)
            guard ProcessEnvironment.current.strangerAtHome() == nil else { exit(2) }
            exit(0)
        }
    }

    @Test(arguments: [50, 300, 3000])
    func aLongHomeStaysWhereItIs(_ length: Int) throws {
        // Each component is short enough for a name.
        let home = String((0..<length).map { $0 % 10 == 0 ? "/" : "x" })
        #expect(try Deployment.current(Self.environment(["CHATELAINE_HOME": home])).runtimeFolder == home + "/run")
    }

    @Test func thisProcess() {
        let environment = ProcessEnvironment.current
        #expect(environment.uid == geteuid())
        #expect(environment.home.hasPrefix("/"))
        #expect(
            environment.isOwnFolder("/tmp") && !environment.isOwnFolder("/etc/passwd")
                && !environment.isOwnFolder("/none"))
        #expect(environment.variable("CHATELAINE_NO_SUCH_VARIABLE") == nil)
    }

    @Test func aHomeThatIsNoPath() async {
        await #expect(processExitsWith: .success) {
            for home in ["", "relative"] {
                setenv("HOME", home, 1)
                guard ProcessEnvironment.current.home.hasPrefix("/") else { exit(1) }
            }
            exit(0)
        }
    }

    /// A name in Latin-1 reads as another name, which many users could share.
    @Test func homesThatAreNotUTF8AreRefused() throws {
        for name in ["XDG_DATA_HOME", "XDG_STATE_HOME"] {
            #expect(throws: KeychainError(.notAvailable, "")) {
                try Self.folders(Self.environment([name: "/home/e\u{FFFD}"]))
            }
        }
        var environment = Self.environment()
        environment.home = "/home/e\u{FFFD}"
        #expect(throws: KeychainError(.notAvailable, "")) { try Self.folders(environment) }
        environment.variable = { $0 == "CHATELAINE_HOME" ? "/one" : nil }
        #expect(try Self.folders(environment).first == "/one/data")
    }
}
