import CChatelaine
import Foundation
import TestSupport
import Testing

/// Programs of one session that have different data folders, or a daemon from before the session.
struct SharedRuntimeFolderTests {
    /// A session's runtime folder, and homes whose programs use it.
    private final class Session {
        let household: Household
        let runtime: String
        let homes: [String]
        var socket: String { runtime + "/chatelaine/securityd.sock" }

        init() throws {
            household = try Household()
            runtime = household.home + "/session"
            homes = ["/one", "/two"].map { [home = household.home] in home + $0 }
            for folder in homes + [runtime] { try #require(mkdir(folder, 0o700) == 0) }
        }

        deinit { homes.forEach { household.dismiss(holdersOf: lock(in: $0)) } }

        func lock(in home: String) -> String { home + "/.local/share/chatelaine/daemon.lock" }

        func variables(_ home: String) -> [String: String] {
            var variables = household.variables
            variables["CHATELAINE_HOME"] = nil
            return variables.merging(["HOME": home, "XDG_RUNTIME_DIR": runtime]) { $1 }
        }

        func probe(_ home: String, _ more: [String: String] = [:]) throws -> ProbeProcess {
            let path = household.home + "/keeper"
            return try ProbeProcess(
                access(path, F_OK) == 0 ? path : try household.application("keeper"), in: household,
                variables: ["HOME": home, "XDG_RUNTIME_DIR": runtime].merging(more) { $1 }, unset: ["CHATELAINE_HOME"])
        }

        /// What systemd does: it listens at the session's path, and starts the daemon of `home` there.
        func systemd(_ home: String) throws -> Program {
            mkdir(runtime + "/chatelaine", 0o700)
            let variables = variables(home)
            let systemd = try Program(
                ["systemd-socket-activate", "--listen=\(socket)"] + variables.map { "--setenv=\($0)=\($1)" }
                    + ["\(BuildFolder.daemons)/securityd"],
                environment: variables)
            let path = socket
            try until("there is a socket", within: Program.patience) { access(path, F_OK) == 0 }
            return systemd
        }
    }

    /// A test suite with a home of its own must not write into the keychain of the developer who runs it.
    @Test func eachHomeHasItsOwnKeychain() throws {
        let session = try Session()
        let (one, two) = (session.homes[0], session.homes[1])
        #expect(try session.probe(one).add("a", "1") == 0)
        #expect(try session.probe(two).find("a").status == -25300)
        #expect(try session.probe(two).add("a", "2") == 0)
        #expect(try session.probe(one).find("a").data == Data("1".utf8))
        for home in session.homes { #expect(ProcessTable.holders(of: session.lock(in: home)).count == 1) }
        let elsewhere = ["XDG_DATA_HOME": one + "/data", "XDG_STATE_HOME": one + "/state"]
        #expect(try session.probe(one, elsewhere).find("a").status == -25300)
        session.household.dismiss(holdersOf: one + "/data/chatelaine/daemon.lock")
    }

    /// Keys and marks of one data folder would say that the items of another are lost.
    @Test func aStateFolderBelongsToOneDataFolder() throws {
        let session = try Session()
        let home = session.homes[0]
        #expect(try session.probe(home).add("a", "1") == 0)
        let elsewhere = ["XDG_DATA_HOME": home + "/data"]
        for isRunning in [true, false] {
            if !isRunning { session.household.dismiss(holdersOf: session.lock(in: home)) }
            let said = try Program(
                [BuildFolder.program("security"), "item", "list"],
                environment: session.variables(home).merging(elsewhere) { $1 }, isQuiet: true
            ).rest()
            #expect(said.isEmpty)
            #expect(try session.probe(home, elsewhere).add("b", "2") == -25291)
        }
        #expect(try session.probe(home).find("a").data == Data("1".utf8))
        // A copy of the home has keys of its own, also while the home is there.
        let copy = session.household.home + "/copy"
        #expect(try Program(["cp", "-a", home, copy], environment: session.household.variables).finish() == 0)
        defer { session.household.dismiss(holdersOf: session.lock(in: copy)) }
        #expect(try session.probe(copy).find("a").data == Data("1".utf8))
        // A data folder that was moved takes its keys along.
        session.household.dismiss(holdersOf: session.lock(in: home))
        try #require(mkdir(home + "/data", 0o700) == 0 || errno == EEXIST)
        try? FileManager.default.removeItem(atPath: home + "/data/chatelaine")
        try #require(rename(home + "/.local/share/chatelaine", home + "/data/chatelaine") == 0)
        #expect(try session.probe(home, elsewhere).find("a").data == Data("1".utf8))
        session.household.dismiss(holdersOf: home + "/data/chatelaine/daemon.lock")
    }

    @Test func theDaemonOfAnotherHomeListensAtTheSessionsPath() throws {
        let session = try Session()
        let (one, two) = (session.homes[0], session.homes[1])
        let systemd = try session.systemd(one)
        #expect(try session.probe(two).add("a", "2") == 0)
        #expect(ProcessTable.holders(of: session.lock(in: one)) == [systemd.pid], "connecting started it")
        #expect(try session.probe(one).find("a").status == -25300)
        #expect(try session.probe(two).find("a").data == Data("2".utf8))
        kill(systemd.pid, SIGTERM)
        #expect(try systemd.finish() == 0)
    }

    /// The home of a test is removed, and its runtime folder is not.
    @Test func aDaemonEndsWithItsDataFolder() throws {
        let session = try Session()
        #expect(try session.probe(session.homes[0]).add("a", "1") == 0)
        let daemon = try #require(ProcessTable.holders(of: session.lock(in: session.homes[0])).first)
        // Not all of the home: the daemon writes to its log while it ends, which would disturb the removal.
        try FileManager.default.removeItem(atPath: session.homes[0] + "/.local/share")
        try until("the daemon has ended", within: Program.patience) { kill(daemon, 0) != 0 }
        let left = try FileManager.default.contentsOfDirectory(atPath: session.runtime + "/chatelaine")
        #expect(!left.contains { $0.hasSuffix(".sock") })
    }

    /// A job of cron has started a daemon before its user logged in.
    @Test func theDaemonOfSystemdTakesOver() throws {
        let session = try Session()
        let home = session.homes[0]
        #expect(try session.probe(home, ["XDG_RUNTIME_DIR": "/nowhere"]).add("a", "1") == 0)
        let former = ProcessTable.holders(of: session.lock(in: home))
        let systemd = try session.systemd(home)
        #expect(try session.probe(home).find("a").data == Data("1".utf8))
        #expect(ProcessTable.holders(of: session.lock(in: home)) == [systemd.pid] && former != [systemd.pid])
        #expect(
            try session.probe(home, ["XDG_RUNTIME_DIR": "/nowhere"]).find("a").data == Data("1".utf8),
            "programs outside the session follow")
        kill(systemd.pid, SIGTERM)
        #expect(try systemd.finish() == 0)
    }
}
