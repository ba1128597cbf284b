import ChatelaineModel
import GRDB

/// The losses that an opening finds, each of which is reported until somebody acknowledges it.
extension StoreOpening {
    /// Makes the record of unacknowledged losses match the database.
    ///
    /// The report of a recovery that never began to replace the store is removed. A recovery that goes on without a
    /// report, as one of an earlier version, gets one. Without any record, the losses in the database count as
    /// unacknowledged: earlier versions reported them less clearly.
    static func settleLosses(
        _ writer: StoreWriter, _ recovery: Recovery?, _ places: StorePlaces, clock: StoreClock,
        log: (StoreEvent) -> Void
    ) throws(KeychainError) {
        let unacknowledged = UnacknowledgedLosses(places, clock: clock)
        let present = try unacknowledged.read()
        if present == nil {
            let past = try past(writer, places, clock: clock)
            if !past.isEmpty { try unacknowledged.update { $0 = past } }
        } else {
            try unacknowledged.update { reports in
                reports.removeAll { $0.isOpen && $0.cause == .recovery && $0.base != recovery?.base }
            }
        }
        guard let recovery, present?.contains(where: { $0.cause == .recovery && $0.base == recovery.base }) != true
        else {
            return
        }
        let report = try report(of: recovery, places, clock: clock)
        if report.changes != 0 {
            try LossList(places, clock: clock).append([(.changesMissing, report.listed)])
            log(.changesMissing(report))
        }
        try unacknowledged.put(report)
    }

    /// The possible losses of a recovery that began before this process, judged by its sources.
    private static func report(
        of recovery: Recovery, _ places: StorePlaces, clock: StoreClock
    ) throws(KeychainError) -> LossReport {
        let folder = SnapshotFolder(places, clock: clock)
        let snapshot = try recovery.snapshotName.flatMap { (name) throws(KeychainError) in try folder[name] }
        let survey = recovery.source?.survey(since: snapshot?.sequence ?? 0) ?? DamagedDatabase.Survey()
        let reader = recovery.state.withLock { $0.snapshot }
        let evidence = try RecoveryEvidence(
            recovery.source, survey, marked: recovery.marked, snapshot: snapshot, wasRecovering: survey.isRecovering
        ) { (identifier) throws(KeychainError) in try reader?.version(of: identifier) ?? 0 }
        // All other evidence of that time lies below the recovery's base.
        let isBounded = evidence.changes != 0 && evidence.known + 1 < recovery.base
        return LossReport(
            cause: .recovery, found: clock.now(), base: recovery.base,
            changes: isBounded ? recovery.base - 1 - min(evidence.since, recovery.base - 1) : evidence.changes,
            since: evidence.since, sinceDate: evidence.sinceDate, isOpen: true)
    }

    /// The losses that only the database records.
    private static func past(
        _ writer: StoreWriter, _ places: StorePlaces, clock: StoreClock
    ) throws(KeychainError) -> [LossReport] {
        let folder = SnapshotFolder(places, clock: clock)
        let sequences = Dictionary(
            try folder.list().map { ($0.name, ($0.sequence, $0.date)) }, uniquingKeysWith: { first, _ in first })
        return try writer.withDatabase { database in
            var reports: [LossReport] = []
            for row in try Row.fetchAll(database, sql: "SELECT hour, marked, found FROM losses") {
                let marked = min(UInt64(clamping: row.number("marked") ?? 0), HighWaterMark.highestSequence)
                let found = UInt64(clamping: row.number("found") ?? 0)
                var report = LossReport(cause: .markAhead, found: date(row.number("hour") ?? 0), base: marked + 1)
                report.changes = marked - min(found, marked)
                report.since = found
                reports.append(report)
            }
            let finished = "SELECT finished, base, snapshot, restored, lost FROM recoveries WHERE finished IS NOT NULL"
            for row in try Row.fetchAll(database, sql: finished) {
                var report = LossReport(
                    cause: .recovery, found: date(row.number("finished") ?? 0),
                    base: UInt64(clamping: row.number("base") ?? 0))
                report.lost = LossReport.count(row.number("lost") ?? 0)
                report.restored = LossReport.count(row.number("restored") ?? 0)
                if report.restored > 0 {
                    let snapshot = row.text("snapshot").flatMap { sequences[$0] }
                    // Whoever writes the file writes any number.
                    let last = report.base - min(report.base, 1)
                    report.changes = snapshot.map { last - min($0.0, last) }
                    report.since = snapshot?.0 ?? 0
                    report.sinceDate = snapshot?.1
                    // Nothing was changed since the snapshot.
                    if report.changes == 0 { report.restored = 0 }
                }
                if !report.isNothing { reports.append(report) }
            }
            let count = "SELECT count(*) FROM quarantine WHERE reason != \(DamageReason.superseded.rawValue)"
            var rows = LossReport(cause: .rows, found: clock.now(), base: 0)
            rows.setAside = try Int.fetchOne(database, sql: count) ?? 0
            return rows.isNothing ? reports : reports + [rows]
        }
    }

    private static func date(_ hour: Int64) -> Double { Double(hour) * StoreClock.secondsPerHour }
}

extension Row {
    /// A number; nil for NULL and for anything else, which GRDB's subscripts take for a fault of the program.
    ///
    /// Whoever writes the file writes any type, and so does a single flipped bit.
    func number(_ column: String) -> Int64? { (self[column] as DatabaseValue?).flatMap { Int64.fromDatabaseValue($0) } }

    func text(_ column: String) -> String? { (self[column] as DatabaseValue?).flatMap { String.fromDatabaseValue($0) } }
}
