import Foundation
import TestSupport
import Testing

/// Tests of the running daemons: all of them are sandboxed, and all still do their work.
@Suite struct ConfinementTests {
    /// One line of `/proc/PID/status`.
    private func fact(_ name: String, of pid: pid_t) -> String {
        let status = (try? String(contentsOfFile: "/proc/\(pid)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
        return line.map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) } ?? "?"
    }

    private func report(_ probe: ProbeProcess) throws -> [String: Any] {
        try #require(try probe.decide("status").dictionary)
    }

    /// Waits for the daemon's socket; without it, the first call would start another daemon.
    private func waitForSocket(of household: Household) throws {
        try until("there is a socket", within: Program.patience) { household.daemonPID != nil }
    }

    @Test func everyProcessIsShutIn() throws {
        guard Privilege.isThere() else { return }
        let household = try Household(uid: Privilege.user(30))
        let probe = try household.probe()
        #expect(try probe.add("a", "b") == 0)
        let key: [String: Any] = ["type": "73", "bsiz": 256, "private": ["perm": true]]
        #expect(try probe.ask(["call": "makeKey", "query": key]).status == 0)
        let daemon = try #require(household.daemonPID)
        let custodian = try #require(household.custodianPID)
        #expect(household.helperPIDs.count == 8)
        let keyd = [try #require(household.keydPID)] + household.keyWorkerPIDs
        #expect(keyd.count == 2)
        let procHelpers = household.procHelperPIDs
        #expect(!procHelpers.isEmpty)
        for pid in [daemon, custodian] + household.helperPIDs + procHelpers + keyd {
            let name = fact("Name", of: pid)
            #expect(fact("Seccomp", of: pid) == "2", "\(name)")
            #expect(fact("NoNewPrivs", of: pid) == "1", "\(name)")
            #expect(fact("CapEff", of: pid) == "0000000000000000", "\(name)")
            #expect(fact("Umask", of: pid) == "0077", "\(name)")
            // Root owns this file of a process that runs as another user, since the process cannot be traced (proc(5)).
            var status = stat()
            #expect(stat("/proc/\(pid)/environ", &status) == 0 && status.st_uid == 0, "\(name)")
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(pid)/cwd") == "/", "\(name)")
        }
        // The process has the filter of the helper that started it, and its own.
        #expect(fact("Seccomp_filters", of: custodian) == "2")
        for procHelper in procHelpers { #expect(fact("Seccomp_filters", of: procHelper) == "2") }
        for helper in household.helperPIDs + procHelpers {
            let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(helper)/fd")
            let numbers = names.compactMap { Int($0) }.sorted()
            let most =
                switch fact("Name", of: helper) {
                // Up to two more descriptors: the system bus, where there is one, and the inhibitor that delays the
                // sleep.
                case "securityd-hear": 6
                // securityd-spawn and securityd-match share a channel. securityd-spawn may also hold a custodian, and
                // securityd-match the system bus.
                case "securityd-spawn": 5
                case "securityd-match": 7
                default: 4
                }
            #expect(numbers.starts(with: [0, 1, 2, 3]) && numbers.count <= most, "\(fact("Name", of: helper))")
        }
    }

    /// One thread handles the signals that end the daemon.
    ///
    /// If they reached another thread, the process would end without order.
    @Test func oneThreadHasTheSignalsThatEndIt() throws {
        let household = try Household()
        let probe = try household.probe()
        #expect(try probe.add("a", "b") == 0)
        let daemon = try #require(household.daemonPID)
        let (interrupt, terminate): (UInt64, UInt64) = (1 << 1, 1 << 14)
        var open: [String] = []
        for thread in try FileManager.default.contentsOfDirectory(atPath: "/proc/\(daemon)/task") {
            // A thread that has ended since does not count.
            guard let status = try? String(contentsOfFile: "/proc/\(daemon)/task/\(thread)/status", encoding: .utf8),
                let line = status.split(separator: "\n").first(where: { $0.hasPrefix("SigBlk:") })
            else { continue }
            let blocked = try #require(UInt64(line.dropFirst("SigBlk:".count).filter { $0 != "\t" }, radix: 16))
            if blocked & interrupt == 0 || blocked & terminate == 0 { open.append(thread) }
        }
        // One thread waits for these signals, and blocks them whenever it does not wait.
        #expect(open.count == 1, "threads \(open)")
    }

    @Test func theReportSaysSo() throws {
        let household = try Household()
        let probe = try household.probe()
        #expect(try probe.add("a", "b") == 0)
        #expect(try probe.update("a", "c") == 0)
        #expect(try probe.find("a").data == Data("c".utf8))
        #expect(try probe.delete("a") == 0)
        let report = try report(probe)
        let measures = ["calls", "files", "privileges", "dumping", "limits", "memory"]
        for name in measures.map({ "sandbox." + $0 }) + ["sandbox.helpers"] + measures.map({ "enclave.sandbox." + $0 })
        {
            #expect((report[name] as? String)?.hasPrefix("on") == true, "\(name): \(report[name] ?? "nothing")")
        }
        // The sandbox refuses nothing that the daily work needs.
        #expect(report["sandbox.refused"] == nil && report["enclave.sandbox.refused"] == nil, "\(report)")
    }

    @Test func aLostHelperIsAnotherDaemon() throws {
        let household = try Household()
        let probe = try household.probe()
        #expect(try probe.add("a", "b") == 0)
        // The helper for dialogs is missed only at the next question.
        for name in ["securityd-look", "securityd-spawn", "securityd-hear", "securityd-match"] {
            let daemon = try #require(household.daemonPID)
            kill(try #require(household.helperPIDs.first { ProcessTable.name(of: $0) == name }), SIGKILL)
            // A new connection, since each caller is inspected once; and a custodian that has to be started.
            if let custodian = household.custodianPID { kill(custodian, SIGKILL) }
            #expect(try household.probe("other \(name)").add("c", "d") == 0)
            #expect(try probe.find("a").data == Data("b".utf8))
            #expect(household.daemonPID != daemon)
        }
    }

    @Test func aLostProcHelperIsReplaced() throws {
        let household = try Household()
        #expect(try household.probe().add("a", "b") == 0)
        let daemon = try #require(household.daemonPID)
        let lost = household.procHelperPIDs
        try #require(!lost.isEmpty)
        for procHelper in lost { kill(procHelper, SIGKILL) }
        #expect(try household.probe("other").add("c", "d") == 0)
        #expect(household.daemonPID == daemon)
        #expect(Set(household.procHelperPIDs).isDisjoint(with: lost))
        // A stopped helper does not answer and is killed. The request whose caller it inspected waits and is refused.
        let stopped = household.procHelperPIDs
        for procHelper in stopped { kill(procHelper, SIGSTOP) }
        _ = try household.probe("third").add("e", "f")
        #expect(try household.probe("fourth").add("g", "h") == 0)
        #expect(household.daemonPID == daemon)
    }

    @Test func onlyKnownVariablesSurvive() throws {
        guard Privilege.isThere() else { return }
        let household = try Household()
        var variables = household.variables
        variables["LD_BIND_NOW"] = "1"
        variables["TMPDIR"] = "/nonexistent"
        variables["GLIBC_TUNABLES"] = "glibc.malloc.check=0"
        let daemon = try Program(["\(BuildFolder.daemons)/securityd"], environment: variables)
        try waitForSocket(of: household)
        let probe = try household.probe()
        #expect(try probe.add("a", "b") == 0)
        // The daemon started itself again once in the same process, with the environment that it wanted.
        #expect(household.daemonPID == daemon.pid)
        #expect(fact("Name", of: daemon.pid) == "securityd")
        let environment = String(
            decoding: FileManager.default.contents(atPath: "/proc/\(daemon.pid)/environ") ?? Data(), as: UTF8.self)
        #expect(environment.contains("CHATELAINE_HOME="))
        for name in ["LD_BIND_NOW", "TMPDIR", "PATH=", "malloc.check"] {
            #expect(!environment.contains(name), "\(name)")
        }
        #expect((try report(probe)["sandbox.memory"] as? String) == "on")
        kill(daemon.pid, SIGTERM)
        #expect(try daemon.finish() == 0)
    }

    @Test func noSecondStartIsThePriceOfAReport() throws {
        // The daemon believes the variable that says it was started again, whoever set it. So it never restarts in a
        // loop.
        let household = try Household()
        var variables = household.variables
        variables["CHATELAINE_STARTED_AGAIN"] = "1"
        let daemon = try Program(["\(BuildFolder.daemons)/securityd"], environment: variables)
        try waitForSocket(of: household)
        let probe = try household.probe()
        #expect(try probe.add("a", "b") == 0)
        #expect(household.daemonPID == daemon.pid)
        #expect((try report(probe)["sandbox.memory"] as? String)?.hasPrefix("impossible: ") == true)
        kill(daemon.pid, SIGTERM)
        #expect(try daemon.finish() == 0)
    }

    @Test func noSecretStaysInMemory() throws {
        guard Privilege.isThere() else { return }
        let household = try Household()
        let probe = try household.probe()
        var secrets: [String] = []
        for round in 0..<30 {
            // The lengths are those of passwords, keys and small files.
            for size in [12, 40, 700, 9_000] {
                let secret = "S3cret \(round) of \(size): " + String(repeating: "\(round)x", count: size / 3)
                let account = "account \(round) \(size)"
                #expect(try probe.add(account, secret) == 0)
                #expect(try probe.find(account).data == Data(secret.utf8))
                #expect(try probe.update(account, "changed " + secret) == 0)
                #expect(try probe.find(account).data == Data(("changed " + secret).utf8))
                secrets.append(String(secret.prefix(24)))
            }
        }
        #expect(try probe.all().count == secrets.count)
        let daemon = try #require(household.daemonPID)
        let custodian = try #require(household.custodianPID)
        for pid in [daemon, custodian] + household.helperPIDs + household.procHelperPIDs {
            let found = try ProcessTable.places(of: "S3cret ", inMemoryOf: pid)
            #expect(found == [], "\(fact("Name", of: pid))")
        }
        // The search does find a secret that is there.
        #expect(try ProcessTable.places(of: "S3cret ", inMemoryOf: getpid()) != [])
    }
}
