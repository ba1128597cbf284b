import CallerIdentity
import ChatelaineModel
import GRDBSQLite
import Glibc
import ItemStore
import StoreEngine
import TestSupport

/// Checks, without faults, that a fresh start of both daemons finds exactly what was acknowledged, undamaged.
struct Inspection {
    let path: String
    let expectation: Expectation
    private(set) var problems: [String] = []

    init(_ path: String, _ expectation: Expectation) {
        self.path = path
        self.expectation = expectation
        do throws(KeychainError) { try look() } catch {
            problems.append("nothing can be opened: \(error.status) \(error.reason)")
        }
    }

    private mutating func look() throws(KeychainError) {
        let home = Home(path)
        // The list of programs and the trust settings count even while the keychain is locked.
        let (programs, trust) = (try home.listed(), try home.trusted())
        try home.unlockIfNeeded()
        // First the view of a program while a recovery may still be under way.
        var items = try home.items()
        compare(items, "items")
        if try home.opened().isRecovering {
            while try home.opened().continueRecovery() {}
            items = try home.items()
        }
        // Resealing must end, and change no content.
        while try home.opened().continueResealing() {}
        if try home.opened().resealingProgress() != nil { problems.append("rows are not sealed anew") }
        items = try home.items()
        guard try home.listed() == programs else { return problems.append("another list of programs counts now") }
        if !expectation.states.contains(where: {
            $0.items == items && $0.programs == programs && $0.trust == trust
        }) {
            compare(items, "items in the end")
            if !expectation.states.contains(where: { $0.programs == programs }) {
                problems.append("the list of programs has \(programs.sorted())")
            }
            if !expectation.states.contains(where: { $0.trust == trust }) {
                problems.append("there are settings of trust for \(trust.sorted())")
            }
        }
        try check(home)
        try checkSnapshots(home)
        checkLists()
        try goOn(home)
        judge(home.events)
        try lookAtKeychain(in: home)
        lookAtMachineKey()
    }

    mutating func complain(_ what: String) { problems.append(what) }

    private mutating func compare(_ items: [String: Item], _ what: String) {
        guard !expectation.states.contains(where: { $0.items == items }) else { return }
        problems.append("\(what): \(ScenarioRun.difference(items, expectation.states.last?.items ?? [:]))")
    }

    private mutating func check(_ home: Home) throws(KeychainError) {
        var position: Int64? = 0
        while let next = position {
            let step = try home.opened().check(from: next)
            if !step.structure.isEmpty || !step.findings.isEmpty {
                problems.append("a check finds \(step.structure) \(step.findings)")
            }
            position = step.next
        }
        let statistics = try home.opened().statistics()
        if statistics.quarantined > 0 { problems.append("\(statistics.quarantined) rows are in the quarantine") }
        let isReported = statistics.unacknowledged != nil
        if !expectation.reports.contains(isReported) {
            problems.append(
                statistics.unacknowledged.map { "a loss is reported where nothing was: \($0)" }
                    ?? "a loss is not reported")
        }
        if statistics.losses > (expectation.losesChanges ? 1 : 0) { problems.append("\(statistics.losses) losses") }
        if expectation.losesChanges, statistics.losses == 0 { problems.append("lost changes were not noticed") }
    }

    private mutating func checkSnapshots(_ home: Home) throws(KeychainError) {
        let snapshots = try home.snapshots.list()
        let names = Set(snapshots.map(\.name))
        for name in expectation.snapshots.subtracting(names) { problems.append("snapshot \(name) is gone") }
        for name in expectation.deleted.intersection(names) { problems.append("snapshot \(name) is there again") }
        for snapshot in snapshots {
            let database = "\(home.storeFolder).snapshots/\(snapshot.name)/items.db"
            if let fault = Self.fault(in: database, items: snapshot.items) {
                problems.append("snapshot \(snapshot.name): \(fault)")
            }
        }
    }

    private static func fault(in database: String, items: Int) -> String? {
        var handle: OpaquePointer?
        var statement: OpaquePointer?
        defer {
            sqlite3_finalize(statement)
            sqlite3_close(handle)
        }
        guard sqlite3_open_v2(database, &handle, SQLITE_OPEN_READONLY, nil) == SQLITE_OK,
            sqlite3_prepare_v2(
                handle,
                "SELECT (SELECT count(*) FROM items WHERE tomb = 0), (SELECT group_concat(integrity_check) FROM "
                    + "pragma_integrity_check)", -1, &statement, nil) == SQLITE_OK,
            sqlite3_step(statement) == SQLITE_ROW
        else { return "it cannot be read" }
        let text = sqlite3_column_text(statement, 1).map { String(cString: $0) } ?? ""
        guard text == "ok" else { return text }
        let count = sqlite3_column_int64(statement, 0)
        return count == Int64(items) ? nil : "it has \(count) items instead of \(items)"
    }

    /// Checks the stores that were set aside, and the lines of the list of losses.
    private mutating func checkLists() {
        // A new store that did not reach its place is set aside as well.
        let names = TemporaryFolder.names(in: path + "/data/stores/default.quarantine").filter {
            !$0.hasSuffix("-draft")
        }
        let count = names.count
        if !expectation.setAside.contains(count) { problems.append("\(count) stores were set aside") }
        let list = path + "/data/stores/default.losses.jsonl"
        var status = stat()
        guard stat(list, &status) == 0, let bytes = try? Tree.content(of: list, count: Int(status.st_size)) else {
            return
        }
        for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") where line.hasPrefix("{") {
            // A line that a power cut has shortened must have ended before the next one.
            if line.dropFirst().contains("{") { problems.append("two lines ran together: \(line)") }
        }
    }

    /// Checks that the store still accepts changes.
    private mutating func goOn(_ home: Home) throws(KeychainError) {
        var item = ScenarioRun.new("afterwards")
        item.secret = .init("well".utf8)
        _ = try home.opened().add(item, group: Home.group, request: ScenarioRun.request())
        guard try home.opened().find(ScenarioRun.named("afterwards"), groups: [Home.group]).isEmpty else { return }
        problems.append("what is added afterwards is not there")
    }

    private mutating func judge(_ events: [StoreEvent]) {
        for event in events {
            switch event {
            case .quarantined, .quarantineFailed, .markDamaged, .restored, .damageMet, .maintenanceFailed, .markFailed,
                .locked,
                .recoveryInterrupted, .snapshotFailed, .snapshotUnusable, .listFailed, .verificationFailed,
                .markOfAnotherStore, .headAltered, .otherHistory, .olderFile, .exchanged, .altered,
                .cleared, .resealingInterrupted, .copiedWhileInUse, .settlingFailed:
                problems.append("\(event)")
            case .changesLost: if !expectation.losesChanges { problems.append("\(event)") }
            case .changesMissing: if !expectation.reports.contains(true) { problems.append("\(event)") }
            case .markMissing, .resealingBegun, .formerCopyDeleted, .keysDestroyed, .recoveryBegun, .recoveryFinished,
                .snapshotTaken, .lossesAcknowledged, .epochBegun,
                .takenIn:
                break
            }
        }
    }
}
