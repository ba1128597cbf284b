import CChatelaine
import ChatelaineModel
import Foundation
import TestSupport
import Testing

/// Tests of how the daemon starts, and that callers do not notice a restart.
@Suite struct StartTests {
    @Test func fiftyClientsAtOnceStartOneDaemon() throws {
        let household = try Household()
        let path = try household.application("keeper")
        let probes = try (0..<50).map { _ in try ProbeProcess(path, in: household) }
        try Threads.run(probes.count) { index in
            try #require(try probes[index].add("account \(index)", "secret \(index)") == 0)
        }
        #expect(household.daemons.count == 1)
        #expect(try probes[0].all().count == 50)
    }

    @Test func aDaemonKilledBetweenCallsIsStartedAgain() throws {
        let household = try Household()
        let probe = try household.probe()
        #expect(try probe.add("a", "b") == 0)
        for _ in 0..<3 {
            let daemon = household.daemonPID
            household.dismiss()
            #expect(try probe.find("a").data == Data("b".utf8))
            #expect(household.daemonPID != daemon)
        }
    }

    @Test func aForkedChildHasItsOwnConnection() throws {
        let household = try Household()
        let probe = try household.probe()
        #expect(try probe.add("a", "b") == 0)
        let answer = try probe.ask(["call": "fork", "query": ProbeProcess.password("a")])
        #expect(answer.status == 0)
        #expect(answer.result as? [Int] == [0, 0, 0, 0])
    }

    /// A daemon that used one user's files for all users would give away the items of others.
    @Test func systemModeIsRefused() throws {
        guard Privilege.isThere() else { return }
        let household = try Household()
        let script = """
            mount -t tmpfs tmpfs /etc && mkdir /etc/chatelaine && touch /etc/chatelaine/system-mode && "$0" 2>&1
            echo "status $?"
            ls -d /var/lib/chatelaine/data /var/lib/chatelaine/state /run/chatelaine "$CHATELAINE_HOME/data" 2>/dev/null
            """
        let heard = try Program(
            ["unshare", "-m", "--propagation", "private", "sh", "-c", script, BuildFolder.daemons + "/securityd"],
            environment: household.variables
        ).rest()
        #expect(heard.first?.contains("errSecUnimplemented: /etc/chatelaine/system-mode") == true, "\(heard)")
        // The daemon ends at once, and makes no files.
        #expect(heard.dropFirst() == ["status 1"])
        #expect(household.daemons == [])
    }

    @Test func theRuntimeFolderGoesAway() throws {
        // This happens at the end of a session if the daemon goes on running.
        let household = try Household()
        let probe = try household.probe()
        #expect(try probe.add("a", "b") == 0)
        let daemon = try #require(household.daemonPID)
        try FileManager.default.removeItem(atPath: "\(household.home)/run")
        #expect(try household.probe("other").find("a").status == -25300)
        #expect(try household.probe("keeper").find("a").data == Data("b".utf8))
        #expect(household.daemons.count == 1)
        #expect(household.daemonPID != nil && household.daemonPID != daemon)
    }

    /// A job of cron starts the daemon, and then its user logs in: the runtime folder changes, and the keychain stays
    /// the same.
    @Test func programsOfTwoSessionsShareOneDaemon() throws {
        let household = try Household()
        let path = try household.application("keeper")
        let session = "\(household.home)/session"
        try #require(mkdir(session, 0o700) == 0)
        func probe(_ runtime: String) throws -> ProbeProcess {
            try ProbeProcess(
                path, in: household, variables: ["HOME": household.home, "XDG_RUNTIME_DIR": runtime],
                unset: ["CHATELAINE_HOME"])
        }
        let lock = "\(household.home)/.local/share/chatelaine/daemon.lock"
        defer { household.dismiss(holdersOf: lock) }
        #expect(try probe("/nowhere").add("a", "b") == 0)
        #expect(try probe(session).find("a").data == Data("b".utf8))
        household.dismiss(holdersOf: lock)
        #expect(try probe(session).add("c", "d") == 0)
        #expect(try probe("/nowhere").all().count == 2)
        #expect(ProcessTable.holders(of: lock).count == 1)
    }

    /// Other programs of the user may have taken every watch that there is for files.
    @Test func aRuntimeFolderGoesAwayWithoutAWatch() throws {
        guard Privilege.isThere() else { return }
        let household = try Household(uid: Privilege.user(96))
        let evil = try household.application("evil", of: "attacker")
        let taker = try Program(
            [evil, "watches", "mark", "hold"], uid: household.uid, environment: household.variables)
        #expect(try taker.line().starts(with: Data("mark".utf8)))
        let probe = try household.probe()
        #expect(try probe.add("a", "b") == 0)
        let daemon = try #require(household.daemonPID)
        try FileManager.default.removeItem(atPath: "\(household.home)/run")
        try until("the daemon has ended", within: Program.patience) { kill(daemon, 0) != 0 }
        #expect(try household.probe("keeper").find("a").data == Data("b".utf8))
    }

    /// Clients at the new place reach the former daemon through its socket, which was moved as well.
    @Test func aHomeThatIsMovedGoesOn() throws {
        let household = try Household(subfolder: "/former")
        #expect(try household.probe().add("a", "b") == 0)
        let former = try #require(household.daemonPID)
        let moved = String(household.home.dropLast("/former".count)) + "/new"
        try #require(rename(household.home, moved) == 0)
        let probe = try ProbeProcess("\(moved)/keeper", in: household, variables: ["CHATELAINE_HOME": moved])
        defer { DaemonProcess.end(at: "\(moved)/run/securityd.sock") }
        // The program is another one by its path, and not by its items' home.
        #expect(try probe.find("a").status == -25300)
        #expect(try probe.add("b", "c") == 0)
        #expect(DaemonProcess.pid(at: "\(moved)/run/securityd.sock") != former)
        try until("the former daemon has ended", within: Program.patience) { kill(former, 0) != 0 }
    }

    /// An unusable place in the lock file of an earlier daemon does not prevent the start of another.
    @Test(arguments: ["/dev/null/securityd.sock", "/nowhere/securityd.sock", "/dev/null", "relative", ""])
    func aPlaceThatLeadsNowhere(_ place: String) throws {
        let household = try Household()
        let data = "\(household.home)/data"
        try #require(mkdir(data, 0o700) == 0)
        try Data(place.utf8).write(to: URL(fileURLWithPath: data + "/daemon.lock"))
        #expect(try household.probe().add("a", "b") == 0)
    }

    /// A stopped daemon accepts nobody, so that its queue fills up; a call ends with an error and does not wait for it.
    @Test func aDaemonThatAcceptsNobody() throws {
        let household = try Household()
        #expect(try household.probe().add("a", "b") == 0)
        let daemon = try #require(household.daemonPID)
        kill(daemon, SIGSTOP)
        defer { kill(daemon, SIGCONT) }
        var sockets: [Int32] = []
        defer { sockets.forEach { close($0) } }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: household.socketPath.utf8) }
        while true {
            let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
            sockets.append(socket(AF_UNIX, type, 0))
            let isConnected = withUnsafeBytes(of: &address) {
                // SAFETY: the structure outlives the call.
                connect(
                    sockets[sockets.count - 1], $0.assumingMemoryBound(to: sockaddr.self).baseAddress,
                    socklen_t($0.count)) == 0
            }
            guard isConnected else { break }
        }
        #expect(errno == EAGAIN && sockets.count > 200)
        let error = #expect(throws: KeychainError.self) { try household.client.status() }
        #expect(error?.status == .notAvailable && error?.reason.contains("does not answer; end it") == true)
    }

    /// The daemon's socket is out of reach, as in another container with the same home.
    @Test func aDaemonOutOfReachIsNamed() throws {
        guard Privilege.isThere() else { return }
        let household = try Household()
        let path = try household.application("keeper")
        #expect(try ProbeProcess(path, in: household).add("a", "b") == 0)
        let socket = household.socketPath
        let daemon = try #require(household.daemonPID)
        defer { DaemonProcess.end(daemon) }
        let said = try Program(
            [
                "unshare", "-m", "sh", "-c",
                "mount -t tmpfs -o mode=700 none \(household.home)/run && exec \"$0\" status 2>&1",
                BuildFolder.program("security"),
            ], environment: household.variables
        ).rest().joined()
        #expect(said.contains("daemon.lock is held by a securityd that listens at \(socket)"), "\(said)")
    }

    @Test func systemdPassesTheSocket() throws {
        let household = try Household()
        let path = try household.application("keeper")
        mkdir("\(household.home)/run", 0o700)
        let variables = household.variables
        let words = variables.map { "--setenv=\($0)=\($1)" }
        let systemd = try Program(
            ["systemd-socket-activate", "--listen=\(household.socketPath)"] + words
                + ["\(BuildFolder.daemons)/securityd"],
            environment: variables)
        try until("there is a socket", within: Program.patience) { access(household.socketPath, F_OK) == 0 }
        #expect(household.daemons.isEmpty)
        let probe = try ProbeProcess(path, in: household)
        #expect(try probe.add("a", "b") == 0)
        #expect(household.daemons == [systemd.pid])
        let report = try probe.decide("status").dictionary
        #expect(report?["daemon.started"] as? String == "systemd")
        kill(systemd.pid, SIGTERM)
        #expect(try systemd.finish() == 0)
    }

    @Test func theServiceManagerHearsOfStartAndLife() throws {
        let household = try Household()
        let (socket, path) = try Self.notificationSocket(household)
        defer { close(socket) }
        let daemon = try Self.notifying(household, path)
        var heard = [String]()
        var buffer = [UInt8](repeating: 0, count: 1024)
        while heard.count < 4 {
            var ready = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            try #require(poll(&ready, 1, Int32(Program.patience * 1000)) == 1)
            let count = recv(socket, &buffer, buffer.count, 0)
            heard.append(String(decoding: buffer.prefix(max(0, count)), as: UTF8.self))
        }
        #expect(heard[0].hasPrefix("READY=1\n"))
        #expect(heard[1...].allSatisfy { $0 == "WATCHDOG=1\n" })
        #expect(try household.probe().add("a", "b") == 0)
        kill(daemon.pid, SIGTERM)
        #expect(try daemon.finish() == 0)
    }

    /// One that reads nothing fills the queue of its socket, so that each message to it would wait.
    @Test func aServiceManagerThatReadsNothingHoldsNothingUp() throws {
        let household = try Household()
        let (socket, path) = try Self.notificationSocket(household)
        defer { close(socket) }
        let sender = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(sender) }
        try #require(chatelaine_unix_connect_notify(sender, path) == 0)
        while send(sender, "x", 1, Int32(MSG_DONTWAIT)) == 1 {}
        #expect(errno == EAGAIN)
        let daemon = try Self.notifying(household, path)
        #expect(try household.probe().add("a", "b") == 0)
        kill(daemon.pid, SIGTERM)
        #expect(try daemon.finish() == 0)
    }

    private static func notificationSocket(_ household: Household) throws -> (socket: Int32, path: String) {
        let path = "\(household.home)/notify"
        let socket = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        try #require(chatelaine_unix_bind(socket, path) == 0)
        return (socket, path)
    }

    /// Starts a daemon as systemd does.
    private static func notifying(_ household: Household, _ path: String) throws -> Program {
        var variables = household.variables
        variables["NOTIFY_SOCKET"] = path
        variables["WATCHDOG_USEC"] = "200000"
        return try Program(["\(BuildFolder.daemons)/securityd"], environment: variables)
    }

    @Test func aSecondDaemonLeavesTheFirstAlone() throws {
        let household = try Household()
        let probe = try household.probe()
        #expect(try probe.add("a", "b") == 0)
        let first = household.daemonPID
        let second = try Program(["\(BuildFolder.daemons)/securityd"], environment: household.variables)
        #expect(try second.finish() == 0)
        #expect(household.daemonPID == first)
        #expect(try probe.find("a").status == 0)
    }
}
