import ChatelaineIPC
import ChatelaineModel

/// Checks whether securityd answers, and what its report says is wrong.
///
/// The call starts a daemon as any call does. The wait is bounded, since a daemon may accept a connection and never
/// answer.
struct DaemonChecks {
    /// Longer than a client waits for a daemon to start.
    static let patienceMilliseconds: Int32 = 12_000

    let keychain: any KeychainService
    var patienceMilliseconds = DaemonChecks.patienceMilliseconds

    func findings() -> [Finding] {
        let keychain = keychain
        let call = Background<Result<(DaemonReport, [TeamDescription]), KeychainError>> {
            do throws(KeychainError) {
                let report = try keychain.status()
                // If the list of programs cannot be opened, there are no teams; another check reports why.
                return .success((report, (try? keychain.teams(.list)) ?? []))
            } catch { return .failure(error) }
        }
        switch call.wait(milliseconds: patienceMilliseconds) {
        case .success((let report, let teams))?:
            return Self.findings(report) + TeamChecks.ofRoot(report) + TeamChecks().findings(teams)
                + FingerprintCheck(keychain: keychain).findings()
        case .failure(let error)?:
            return [
                Finding(
                    "daemon.reachable", .problem, Printable.text(error.reason),
                    remedy: "if that does not say it all, see the journal, or securityd.log in the folder of the state")
            ]
        case nil:
            return [
                Finding(
                    "daemon.reachable", .problem,
                    "securityd took the connection and did not answer in \(patienceMilliseconds / 1000) s",
                    remedy: "look at its log; end it, and the next call starts another")
            ]
        }
    }

    static func findings(_ report: DaemonReport) -> [Finding] {
        [
            version(report), store(report), recovery(report), resealing(report), damage(report),
            missing(report), incomplete(report), custodian(report), dumpable(report), locked(report), pidfd(report),
            caller(report),
        ].compactMap { $0 } + DeviceChecks.findings(report) + RefusalChecks.findings(report)
            + InterpreterChecks.findings(report) + SandboxChecks.findings(report) + TrustSettingsCheck.findings(report)
    }

    private static func version(_ report: DaemonReport) -> Finding {
        guard let version = text(report, "daemon.version"), version != SecurityTool.version else {
            return Finding("daemon.reachable", .ok, "securityd answers")
        }
        return Finding(
            "daemon.reachable", .degraded, "securityd is version \(version), this tool \(SecurityTool.version)",
            remedy: "restart securityd after an upgrade")
    }

    private static func store(_ report: DaemonReport) -> Finding? {
        if let error = text(report, "store.error"), !error.isEmpty {
            return Finding(
                "store.open", .problem, error, remedy: "nothing was deleted; mend what the text says and try again")
        }
        return number(report, "store.items").map { Finding("store.open", .ok, "\($0) items") }
    }

    private static func damage(_ report: DaemonReport) -> Finding? {
        guard let count = number(report, "store.quarantined") else { return nil }
        guard count > 0 else { return Finding("store.damage", .ok, "no damaged items") }
        return Finding(
            "store.damage", .degraded, "\(count) damaged items are kept aside and not found by searches",
            remedy: "check the disk and memory of this machine; restore what is missing from a backup")
    }

    private static func recovery(_ report: DaemonReport) -> Finding? {
        text(report, "store.recovery").map {
            Finding(
                "store.recovery", .degraded, "the store is being recovered from damage (\($0))",
                remedy: "items can be used meanwhile; look again when it is done")
        }
    }

    private static func resealing(_ report: DaemonReport) -> Finding? {
        text(report, "store.resealing").map {
            Finding(
                "store.resealing", .degraded,
                "not yet protected: what was stored before the keys were replaced is being sealed anew (\($0)); until then a copy of the "
                    + "former keybag opens it",
                remedy: "leave the device unlocked, and look again when it is done")
        }
    }

    private static func missing(_ report: DaemonReport) -> Finding? {
        MissingText(report).map { missing in
            let list = text(report, "store.list").map { "\($0) lists what is known; restore" } ?? "restore"
            return Finding(
                "store.missing", .problem, missing.text,
                remedy: "\(list) what you miss from a backup, then: security check --acknowledge")
        }
    }

    private static func incomplete(_ report: DaemonReport) -> Finding? {
        guard let count = number(report, "keychains.missing"), count > 0 else { return nil }
        let paths = report.facts.compactMap { fact -> String? in
            guard fact.name.hasPrefix("keychains.missing."), case .text(let path) = fact.value else { return nil }
            return path
        }
        let more = count > Int64(paths.count) ? " and others" : ""
        return Finding(
            "keychains.missing", .problem,
            "something may be missing from \(count == 1 ? "a file keychain" : "\(count) file keychains"): "
                + paths.joined(separator: ", ") + more,
            remedy: "unlock each and see what: security check KEYCHAIN; then: security check --acknowledge KEYCHAIN")
    }

    private static func custodian(_ report: DaemonReport) -> Finding? {
        guard let error = text(report, "enclave.error"), !error.isEmpty else { return nil }
        return Finding("enclave.reachable", .problem, error, remedy: "restart securityd, and look at its log")
    }

    private static func dumpable(_ report: DaemonReport) -> Finding? {
        guard let value = report["enclave.dumpable"] else { return nil }
        guard value != .number(1) else {
            return Finding(
                "enclave.dumpable", .problem, "the key custodian can be traced and dumped by programs of this user",
                remedy: "restart securityd; run no debugger on enclaved")
        }
        return Finding("enclave.dumpable", .ok, "the key custodian can be neither traced nor dumped")
    }

    private static func locked(_ report: DaemonReport) -> Finding? {
        let facts = ["memory.unlocked", "enclave.memory.unlocked"].compactMap { number(report, $0) }
        guard !facts.isEmpty else { return nil }
        let unlocked = facts.reduce(0) { $0 &+ $1 }
        guard unlocked > 0 else { return Finding("memory.locked", .ok, "the daemons' keys are kept out of swap") }
        return Finding(
            "memory.locked", .degraded, "\(Quantity.bytes(unlocked)) for keys could not be locked and can reach swap",
            remedy: "raise the limit of locked memory (see memory.limit), then restart securityd; or encrypt swap")
    }

    private static func pidfd(_ report: DaemonReport) -> Finding? {
        guard text(report, "kernel.pidfd") == MessagePidfd.degraded.rawValue else { return nil }
        return Finding(
            "daemon.identity", .degraded, "securityd identifies callers without pidfds",
            remedy: "use Linux 6.5 or newer")
    }

    private static func caller(_ report: DaemonReport) -> Finding? {
        guard let assurance = text(report, "caller.assurance") else {
            // Callers are identified only after the store is open; a store that is not open is a finding of its own.
            if let error = text(report, "store.error"), !error.isEmpty { return nil }
            return text(report, "caller.reason").map {
                Finding("caller.assurance", .problem, $0, remedy: "run this tool from where it is installed")
            }
        }
        let who = text(report, "caller.identifier") ?? text(report, "caller.path") ?? "this program"
        let reason = text(report, "caller.reason").flatMap { $0.isEmpty ? nil : ": \($0)" } ?? ""
        switch Assurance(rawValue: assurance) {
        // The daemon knows the program and still refuses it, for example because its file changed.
        case .kernel where !reason.isEmpty, .file where !reason.isEmpty, .shared where !reason.isEmpty:
            return Finding(
                "caller.assurance", .problem, "\(who) is refused\(reason)",
                remedy: "security app accept PATH, or security app develop PATH where it is rebuilt all day")
        case .kernel, .file: return Finding("caller.assurance", .ok, "\(who) is known by “\(assurance)”")
        // This is the sound state: whoever runs this tool can read its items (behaviour/callers.md, 11).
        case .shared: return Finding("caller.assurance", .ok, "\(who) is “shared”: whoever runs it reads its items")
        case .degraded:
            return Finding(
                "caller.assurance", .degraded, "\(who) is known by “degraded” only\(reason)",
                remedy: "use Linux 6.9 or newer")
        case nil:
            return Finding(
                "caller.assurance", .problem, "\(who) has no identity (\(assurance))\(reason)",
                remedy: "run this tool from where it is installed, outside sandboxes")
        }
    }

    static func text(_ report: DaemonReport, _ name: String) -> String? {
        guard case .text(let text)? = report[name] else { return nil }
        return text
    }

    private static func number(_ report: DaemonReport, _ name: String) -> Int64? {
        guard case .number(let number)? = report[name] else { return nil }
        return number
    }
}
