import ChatelaineIPC
import Foundation
import Testing

/// Where things are: ruling 27.
struct DeploymentTests {
    static func environment(
        _ variables: [String: String] = [:], folders: Set<String> = ["/run/user/1000", "/xdg"], system: Bool = false
    ) -> ProcessEnvironment {
        ProcessEnvironment(
            uid: 1000, home: "/home/eve", variable: { variables[$0] }, isFolder: { folders.contains($0) },
            isSystemMode: { system })
    }

    static func folders(_ environment: ProcessEnvironment) -> [String] {
        let deployment = Deployment.current(environment)
        return [deployment.dataFolder, deployment.stateFolder, deployment.runtimeFolder]
    }

    @Test func defaults() {
        let deployment = Deployment.current(Self.environment())
        #expect(deployment.mode == .user)
        #expect(deployment.dataFolder == "/home/eve/.local/share/chatelaine")
        #expect(deployment.stateFolder == "/home/eve/.local/state/chatelaine")
        #expect(deployment.runtimeFolder == "/run/user/1000/chatelaine")
        #expect(deployment.socketPath == "/run/user/1000/chatelaine/securityd.sock")
        #expect(
            !deployment.stateFolder.hasPrefix(deployment.dataFolder), "the custodian's state is apart from the data")
        #expect(deployment.enclaveFolder.hasPrefix(deployment.stateFolder))
    }

    @Test func variables() {
        let xdg = ["XDG_DATA_HOME": "/d/", "XDG_STATE_HOME": "/s", "XDG_RUNTIME_DIR": "/xdg"]
        #expect(Self.folders(Self.environment(xdg)) == ["/d/chatelaine", "/s/chatelaine", "/xdg/chatelaine"])
        let home = xdg.merging(["CHATELAINE_HOME": "/one///"]) { $1 }
        #expect(Self.folders(Self.environment(home)) == ["/one/data", "/one/state", "/one/run"])
    }

    @Test(arguments: ["", "relative", "./here", "~/x"])
    func whatIsNotAbsoluteDoesNotCount(_ value: String) {
        let variables = [
            "CHATELAINE_HOME": value, "XDG_DATA_HOME": value, "XDG_STATE_HOME": value, "XDG_RUNTIME_DIR": value,
        ]
        #expect(Self.folders(Self.environment(variables)) == Self.folders(Self.environment()))
    }

    @Test func systemModeTakesNothingFromTheEnvironment() {
        let variables = ["CHATELAINE_HOME": "/one", "XDG_DATA_HOME": "/d", "XDG_RUNTIME_DIR": "/xdg"]
        let deployment = Deployment.current(Self.environment(variables, system: true))
        #expect(deployment == Deployment.current(Self.environment(system: true)))
        #expect(deployment.mode == .system && deployment.socketPath == "/run/chatelaine/securityd.sock")
        #expect(deployment.dataFolder.hasPrefix("/var/lib/chatelaine/"))
    }

    @Test func secureExecutionTakesNothingFromTheEnvironment() {
        // Under AT_SECURE no variable is seen; `ProcessEnvironment.current` then answers as this one.
        let secure = Self.environment()
        #expect(secure.path("CHATELAINE_HOME") == nil)
        #expect(Self.folders(secure)[0].hasPrefix("/home/eve/"))
    }

    @Test func aRuntimeFolderThatIsNotThere() {
        let environment = Self.environment(folders: [])
        let folder = Deployment.current(environment).runtimeFolder
        #expect(folder.hasPrefix("/tmp/chatelaine-1000-"))
        #expect(folder == Deployment.current(environment).runtimeFolder)
        let other = Deployment.current(Self.environment(["XDG_RUNTIME_DIR": "/gone"], folders: []))
        #expect(other.runtimeFolder.hasPrefix("/tmp/chatelaine-1000-") && other.runtimeFolder != folder)
    }

    @Test func aPathThatNoSocketCanHave() {
        // 107 bytes and a zero fit into sun_path.
        let rest = "/run/securityd.sock".utf8.count
        for (length, fits) in [(107 - rest, true), (108 - rest, false), (300, false)] {
            let home = "/" + String(repeating: "x", count: length - 1)
            let deployment = Deployment.current(Self.environment(["CHATELAINE_HOME": home]))
            #expect(deployment.dataFolder == home + "/data", "only the socket moves")
            #expect((deployment.runtimeFolder == home + "/run") == fits)
            #expect(deployment.socketPath.utf8.count < 108)
        }
    }

    @Test func thisProcess() {
        let environment = ProcessEnvironment.current
        #expect(environment.uid == geteuid())
        #expect(environment.home.hasPrefix("/"))
        #expect(environment.isFolder("/tmp") && !environment.isFolder("/etc/passwd") && !environment.isFolder("/none"))
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
}
