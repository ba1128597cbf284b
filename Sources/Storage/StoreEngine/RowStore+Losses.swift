import ChatelaineModel

/// What was lost and nobody has acknowledged yet.
extension RowStore {
    var unacknowledged: UnacknowledgedLosses { UnacknowledgedLosses(places, clock: clock) }

    /// The reports of what is missing, or may be, until ``acknowledgeLosses()``.
    ///
    /// While a recovery goes on, its report tells what may be missing; what is lost for certain is known in the end.
    package func losses() throws(KeychainError) -> [LossReport] {
        try (unacknowledged.read() ?? []).filter { !$0.isNothing }
    }

    /// Notes that changes may be missing of which the store itself knows nothing, unless it is said already that some are.
    package func noteMissingChanges() throws(KeychainError) {
        guard try !losses().contains(where: { $0.changes != 0 }) else { return }
        let sequence = try sequence()
        let report = LossReport(
            cause: .history, found: clock.now(), base: sequence, changes: nil, since: sequence)
        try lossList.append([(.changesMissing, report.listed)])
        try unacknowledged.put(report)
    }

    /// Takes note that somebody knows of the losses; changes nothing else. Answers what they were, nil where there were none.
    ///
    /// `errSecNotAvailable` while a recovery goes on, since what it loses is not known yet.
    package func acknowledgeLosses() throws(KeychainError) -> LossReport? {
        guard !isRecovering else {
            throw KeychainError(
                .notAvailable,
                "the store is being recovered from damage, and what that loses is known once it is done; try again then"
            )
        }
        guard try !losses().isEmpty else { return nil }
        // What nobody has found yet must not become what there should be.
        try verifyRows()
        guard let sum = LossReport.sum(try losses()) else { return nil }
        try lossList.append([
            (
                .acknowledged,
                (sum.changes == 0 ? [] : sum.listed) + [
                    ("lost", .number(Int64(sum.lost))), ("restored", .number(Int64(sum.restored))),
                    ("set-aside", .number(Int64(sum.setAside))),
                ]
            )
        ])
        // What was altered is told apart from what will be, from here on.
        try beginEpoch()
        try unacknowledged.update { $0 = [] }
        log(.lossesAcknowledged(sum))
        return sum
    }

    /// Notes rows that were set aside while the store is in use; where that fails, the log has it.
    func note(setAside: Int, restored: Int) {
        do throws(KeychainError) {
            let now = clock.now()
            try unacknowledged.update { reports in
                var report = LossReport(cause: .rows, found: now, base: 0)
                let index = reports.firstIndex { $0.cause == .rows }
                if let index { report = reports[index] }
                report.found = now
                report.setAside += setAside
                report.restored += restored
                if let index { reports[index] = report } else { reports.append(report) }
            }
        } catch { log(.listFailed(error)) }
    }
}

extension StorePlaces {
    /// Whether something is missing from the store that nobody has acknowledged, be it open or not.
    package func hasLosses(clock: StoreClock = .system) throws(KeychainError) -> Bool {
        try UnacknowledgedLosses(self, clock: clock).read()?.contains { !$0.isNothing } ?? false
    }
}
