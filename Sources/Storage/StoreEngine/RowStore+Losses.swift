import ChatelaineModel

/// The losses of the store that nobody has acknowledged yet.
extension RowStore {
    var unacknowledged: UnacknowledgedLosses { UnacknowledgedLosses(places, clock: clock) }

    /// The reports of what is missing, or may be missing, until ``acknowledgeLosses()``.
    ///
    /// While a recovery goes on, its report says what may be missing. Only its end shows what is lost for certain.
    package func losses() throws(KeychainError) -> [LossReport] {
        try (unacknowledged.read() ?? []).filter { !$0.isNothing }
    }

    /// Reports that changes may be missing without a trace in the store, unless an open report already says that some
    /// are.
    package func noteMissingChanges() throws(KeychainError) {
        guard try !losses().contains(where: { $0.changes != 0 }) else { return }
        let sequence = try sequence()
        let report = LossReport(
            cause: .history, found: clock.now(), base: sequence, changes: nil, since: sequence)
        try lossList.append([(.changesMissing, report.listed)])
        try unacknowledged.put(report)
    }

    /// Records that somebody knows of the losses; answers what they were, nil where there were none.
    ///
    /// The store's rows do not change.
    ///
    /// - Throws: `errSecNotAvailable` while a recovery goes on, since its losses are not known yet.
    package func acknowledgeLosses() throws(KeychainError) -> LossReport? {
        guard !isRecovering else {
            throw KeychainError(
                .notAvailable,
                "the store is being recovered from damage, and what that loses is known once it is done; try again then"
            )
        }
        guard try !losses().isEmpty else { return nil }
        // An alteration that nobody has found yet must not become part of the expected state.
        try verifyRows()
        let known = try losses()
        guard let sum = LossReport.sum(known) else { return nil }
        try lossList.append([
            (
                .acknowledged,
                (sum.changes == 0 ? [] : sum.listed) + [
                    ("lost", .number(Int64(sum.lost))), ("restored", .number(Int64(sum.restored))),
                    ("set-aside", .number(Int64(sum.setAside))),
                ]
            )
        ])
        // The new epoch separates these alterations from later ones.
        try beginEpoch()
        try unacknowledged.acknowledge(known, remembering: refusal != nil)
        log(.lossesAcknowledged(sum))
        return sum
    }

    /// Adds rows that were set aside while the store is in use to the report; a failure goes to the log only.
    func note(setAside: Int, restored: Int) {
        do throws(KeychainError) {
            let now = clock.now()
            let copied = copyLosses.withLock { report in
                report?.setAside += setAside
                report?.restored += restored
                return report
            }
            try unacknowledged.update { reports in
                var report = LossReport(cause: .rows, found: now, base: copied?.base ?? 0)
                let index = reports.firstIndex { $0.cause == .rows && $0.base == report.base }
                if let index { report = reports[index] }
                report.found = now
                if let copied {
                    // An earlier opening of the same file has told of the same rows.
                    report.setAside = max(report.setAside, copied.setAside)
                    report.restored = max(report.restored, copied.restored)
                } else {
                    report.setAside += setAside
                    report.restored += restored
                }
                if let index { reports[index] = report } else { reports.append(report) }
            }
        } catch { log(.listFailed(error)) }
    }

    /// Begins to count what is set aside in a store that takes no changes.
    ///
    /// Its number tells one state of the file from another. It is the same at each opening, because the mark is.
    func beginCopyLosses() throws(KeychainError) {
        let report = LossReport(cause: .rows, found: clock.now(), base: try sequence())
        copyLosses.withLock { $0 = report }
    }
}

extension StorePlaces {
    /// Whether the store has a loss that nobody has acknowledged; the store need not be open.
    package func hasLosses(clock: StoreClock = .system) throws(KeychainError) -> Bool {
        try UnacknowledgedLosses(self, clock: clock).read()?.contains { !$0.isNothing } ?? false
    }
}
