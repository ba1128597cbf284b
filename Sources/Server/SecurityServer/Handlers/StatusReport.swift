import CallerIdentity
import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import Glibc
import ItemStore
import Sandbox
import StoreEngine

/// Collects what `security status` shows.
///
/// A part that cannot be read is replaced by the reason.
struct StatusReport {
    let services: Services

    func make(for caller: Result<Caller, KeychainError>) -> DaemonReport {
        var report = DaemonReport()
        report.add("daemon.version", SecurityServer.version)
        report.add("daemon.pid", getpid())
        report.add("daemon.uptime", MonotonicClock.seconds - services.startTime)
        report.add("daemon.mode", services.deployment.mode)
        report.add("daemon.started", services.startedBy)
        report.add("daemon.connections", services.connections.total)
        report.add("kernel.pidfd", services.hasMessagePidfd ? MessagePidfd.perMessage : .degraded)
        report.add("folder.data", services.deployment.dataFolder)
        report.add("folder.state", services.deployment.stateFolder)
        report.add("folder.runtime", services.deployment.runtimeFolder)
        addStore(to: &report)
        for slot in services.keychains.all.dropFirst() { Self.add(slot, to: &report) }
        addIncomplete(to: &report)
        addEnclave(to: &report)
        addDevice(to: &report)
        let memory = SecretArena.usage
        report.add("memory.locked", memory.lockedBytes)
        report.add("memory.unlocked", memory.unlockedBytes)
        let confinement = services.confinement()
        for state in confinement.states {
            report.add("sandbox.\(state.name)", Self.text(state.level, state.detail))
        }
        if confinement.unansweredLooks > 0 { report.add("looks.unanswered", confinement.unansweredLooks) }
        if services.inquiries.count > 0 { report.add("requests.waiting", services.inquiries.count) }
        services.inquiries.add(to: &report)
        let problems = services.identities.signatures.problems
        if let problem = problems.revocations { report.add("signatures.problem", problem) }
        if let problem = problems.folder { report.add("signatures.folder", problem) }
        addTrust(to: &report)
        services.refusals.add(to: &report)
        addInterpreters(to: &report)
        addCaller(caller, to: &report)
        return report
    }

    private func addStore(to report: inout DaemonReport) {
        do throws(KeychainError) {
            let statistics = try services.keychains.default.keychain().store.statistics()
            report.add("store.items", statistics.items.values.reduce(0, +))
            for itemClass in ItemClass.allCases where itemClass != .identity {
                report.add("store.\(itemClass.name)", statistics.items[itemClass] ?? 0)
            }
            report.add("store.tombstones", statistics.tombstones)
            report.add("store.quarantined", statistics.quarantined)
            report.add("store.losses", statistics.losses)
            if let percent = statistics.recoveryPercent { report.add("store.recovery", "\(percent) % done") }
            if let resealing = statistics.resealing { report.add("store.resealing", Self.text(resealing)) }
            if let last = statistics.lastRecovery {
                report.add("store.recoveries", statistics.recoveries)
                report.add("store.salvaged", last.salvaged)
                report.add("store.restored", last.restored)
                report.add("store.lost", last.lost)
            }
            if let missing = statistics.unacknowledged { Self.add(missing, to: &report) }
            if let list = statistics.lossList { report.add("store.list", list) }
            report.add("store.snapshots", statistics.snapshots)
            report.add("store.bytes", statistics.databaseBytes + statistics.logBytes)
            report.add("store.sequence", statistics.sequence)
            report.add("store.schema", statistics.schemaVersion)
        } catch {
            report.add("store.error", error.reason)
        }
    }

    /// Adds a keychain besides the default one, in a few facts, since a report has room for a limited number.
    ///
    /// It waits for none of them.
    private static func add(_ slot: KeychainSlot, to report: inout DaemonReport) {
        let name = "keychain.\(slot.name)"
        guard let opened = slot.present else { return report.add("\(name).state", KeychainPresence.notOpen) }
        do throws(KeychainError) {
            let statistics = try opened.store.statistics()
            report.add("\(name).state", KeychainPresence.open)
            report.add("\(name).items", statistics.items.values.reduce(0, +))
            if let percent = statistics.recoveryPercent { report.add("\(name).recovery", "\(percent) % done") }
            if let resealing = statistics.resealing { report.add("\(name).resealing", Self.text(resealing)) }
            if let missing = statistics.unacknowledged { report.add("\(name).lost", missing.lost) }
        } catch {
            report.add("\(name).error", error.reason)
        }
    }

    /// Adds what is missing, or may be, until it is acknowledged.
    ///
    /// It leaves out the time of the loss where no change is missing.
    private static func add(_ missing: LossReport, to report: inout DaemonReport) {
        if let changes = missing.changes {
            report.add("store.missing.changes", changes)
        } else {
            report.add("store.missing.unbounded", 1)
        }
        if missing.changes != 0 {
            report.add("store.missing.since", missing.since)
            if let date = missing.sinceDate { report.add("store.missing.date", date: date) }
        }
        report.add("store.missing.lost", missing.lost)
        report.add("store.missing.restored", missing.restored)
        report.add("store.missing.aside", missing.setAside)
        report.add("store.missing.altered", missing.altered)
    }

    /// Paths that are shown; a report has room for a limited number of facts.
    private static let maximumPaths = 8

    /// Adds the file keychains with unacknowledged losses; nothing where there is none.
    private func addIncomplete(to report: inout DaemonReport) {
        let paths = services.fileKeychains.incomplete()
        guard !paths.isEmpty else { return }
        report.add("keychains.missing", paths.count)
        for (index, path) in paths.prefix(Self.maximumPaths).enumerated() {
            report.add("keychains.missing.\(index + 1)", path)
        }
    }

    private func addEnclave(to report: inout DaemonReport) {
        do throws(KeychainError) {
            let enclave = try services.enclave.call(ReadCustodianReport())
            // A store that is not open has no other lock state.
            var state = enclave.isUnlocked ? LockState.unlocked : .locked
            if let store = services.keychains.default.present?.store.identifier {
                state = try services.enclave.passcodeReport(for: .agent, in: store).state
            }
            report.add("device.state", state.text)
            report.add("device.passcode", enclave.hasPasscode ? PasscodePresence.set : .none)
            report.add("enclave.backend", enclave.backend)
            report.add("enclave.pid", services.enclave.pid)
            report.add("enclave.dumpable", enclave.isDumpable ? 1 : 0)
            report.add("enclave.memory.locked", enclave.lockedBytes)
            report.add("enclave.memory.unlocked", enclave.unlockedBytes)
            for fact in try services.enclave.call(ReadCustodianSandbox()) {
                // Both ends come from one build. An unknown level is at least not taken for protection.
                let level = SandboxLevel(rawValue: fact.level) ?? .off
                report.add("enclave.sandbox.\(fact.name)", Self.text(level, fact.detail))
            }
        } catch {
            report.add("enclave.error", error.reason)
        }
    }

    private func addDevice(to report: inout DaemonReport) {
        if let events = services.events { report.add("device.events", events.hearing.word) }
        if let outcome = services.credential.outcome { report.add("device.credential", outcome) }
        do throws(KeychainError) {
            report.add("device.idleTimeout", Int(try services.settings.read().idleTimeout))
        } catch {
            report.add("device.settings", error.reason)
        }
    }

    private static func text(_ resealing: ResealingProgress) -> String {
        "\(resealing.percent) % done" + (resealing.isWaiting ? ", waits until it is unlocked" : "")
    }

    /// "on", or "off: " and the reason.
    private static func text(_ level: SandboxLevel, _ detail: String) -> String {
        detail.isEmpty ? level.word : "\(level.word): \(detail)"
    }

    /// Adds why evaluations of trust fail; nothing where the list of programs is not open, which is told elsewhere.
    private func addTrust(to report: inout DaemonReport) {
        guard let ledger = services.identities.opened?.ledger, let problem = services.trust.problem(in: ledger) else {
            return
        }
        report.add("trust.problem", problem.reason)
    }

    /// Adds the interpreters that the administrator has named, if any.
    private func addInterpreters(to report: inout DaemonReport) {
        guard let added = services.identities.opened?.resolver.addedInterpreters.report else { return }
        report.add("interpreters.added", added.count)
        if let defect = added.defect { report.add("interpreters.defect", defect) }
    }

    private func addCaller(_ caller: Result<Caller, KeychainError>, to report: inout DaemonReport) {
        switch caller {
        case .success(let caller):
            let identity = caller.identity
            report.add("caller.user", identity.principal.user)
            report.add("caller.identifier", identity.principal.application.name)
            if let group = caller.groups.first { report.add("caller.group", group.name) }
            if let claims = identity.signature?.claims {
                report.add("caller.team", claims.owner.team.text)
                report.add("caller.groups", caller.groups.count)
            }
            report.add("caller.assurance", identity.assurance)
            report.add("caller.state", identity.state.word)
            report.add("caller.path", identity.executablePath.text)
            if let refusal = caller.refusal { report.add("caller.reason", refusal.reason) }
        case .failure(let error): report.add("caller.reason", error.reason)
        }
    }
}
