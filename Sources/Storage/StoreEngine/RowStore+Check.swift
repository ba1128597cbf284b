import ChatelaineModel

/// The findings of one step of a full verification.
package struct RowCheck: Sendable {
    /// A row that the verification found damaged or under false digests.
    package struct Finding: Sendable {
        /// The row as the verification read it, sealed contents included.
        package let row: WholeRow
        package let reason: DamageReason
        /// What became of the row.
        package let outcome: CheckOutcome
    }

    /// Where the next step begins; nil after the last step.
    package var next: Int64?
    /// Rows that this step opened, deleted rows among them.
    package var rows = 0
    /// The opened rows whose keys are locked, so that their state is unknown.
    package var locked = 0
    /// The number of rows in the store; set by the first step only.
    package var total: Int64?
    package var findings: [Finding] = []
    /// Findings about the structure of the file, from SQLite, and about the mark; set by the first step only.
    package var structure: [String] = []
}

/// Verification of a whole store.
///
/// Most steps take a fraction of a second, so that the caller can show progress and stop. ``endChecks()`` ends a step
/// under way, as when the keychain is locked.
extension RowStore {
    /// Rows of one step, and the sealed bytes after which a step ends earlier.
    private static let rowsPerCheck: Int64 = 512
    private static let bytesPerCheck = 8 * 1024 * 1024
    /// The highest number that a row gets: rows are numbered from 1, one number for each addition.
    private static let highestRow: Int64 = 1 << 62
    /// Findings of SQLite that are reported; a single one already makes the store be made anew.
    private static let maximumStructureFindings = 10

    /// Verifies the next part of the store.
    ///
    /// The caller begins with position 0 and goes on with ``RowCheck/next``. The first step is SQLite's own check of
    /// pages and indices, which takes seconds for a million items, and a check of the mark. The other steps open every
    /// row, secret included, and compare it with all its digests. A damaged row goes to the quarantine, as when a
    /// search meets it. Damage to the structure makes the store need reopening as damaged (``isDamaged``).
    package func check(from position: Int64) throws(KeychainError) -> RowCheck {
        try requireChecks()
        return position <= 0 ? try checkStructure() : try checkRows(after: position - 1)
    }

    /// Ends all checks of this store, under way or to come, because its keychain is being locked.
    package func endChecks() { checkEnd.set() }

    /// Throws after ``endChecks()``; each check calls this between its parts.
    func requireChecks() throws(KeychainError) {
        guard checkEnd.isSet else { return }
        throw KeychainError(cause: .locked, "the keychain was locked before all of its rows were looked at")
    }

    /// Lends a connection whose statements ``endChecks()`` interrupts.
    private func withCheckedConnection<Value>(
        _ body: (ReadConnection) throws(KeychainError) -> Value
    ) throws(KeychainError) -> Value {
        do throws(KeychainError) {
            return try withOwnConnection { (connection) throws(KeychainError) in
                connection.stop(when: checkEnd)
                return try body(connection)
            }
        } catch {
            try requireChecks()
            throw error
        }
    }

    private func checkStructure() throws(KeychainError) -> RowCheck {
        var check = RowCheck()
        let first = try structureFindings()
        // A second opening has to confirm the damage.
        check.structure = first.isEmpty ? [] : try structureFindings()
        if !check.structure.isEmpty {
            health.note(.damaged)
            return check
        }
        try checkMark(&check)
        try verifyRows()
        check.total = try withCheckedConnection { (connection) throws(KeychainError) in
            try ReadConnection.integer(connection.handle, "SELECT count(*) FROM \(layout.table)")
        }
        check.next = 1
        return check
    }

    /// Whether the mark still says what the last change wrote there.
    private func checkMark(_ check: inout RowCheck) throws(KeychainError) {
        let isSame = try writer.withIntegrity { (integrity) throws(KeychainError) in
            integrity.isMark(try HighWaterMark.find(places, integrity.keys))
        }
        if !isSame { check.structure.append("the mark was changed or removed since the last change") }
    }

    /// What SQLite finds wrong, read on a connection of its own; empty for a sound database.
    private func structureFindings() throws(KeychainError) -> [String] {
        do throws(KeychainError) {
            return try withCheckedConnection { (connection) throws(KeychainError) in
                let statement = try PreparedStatement(
                    connection.handle, "PRAGMA integrity_check(\(Self.maximumStructureFindings))")
                var findings: [String] = []
                while try statement.step() { findings.append(statement.text(0)) }
                if findings == ["ok"] { findings = [] }
                let strange = try ReadConnection.integer(
                    connection.handle,
                    "SELECT count(*) FROM \(layout.table) WHERE \(layout.name(0)) < 1 OR \(layout.name(0)) > \(Self.highestRow)"
                )
                if strange > 0 { findings.append("\(strange) rows have numbers that no row ever gets") }
                if try !schema.isSound(connection.handle) {
                    findings.append("the database has other tables, indexes, programs or settings than a store's")
                }
                return findings
            }
        } catch {
            guard error.cause == .damage else { throw error }
            return ["SQLite cannot read the database"]
        }
    }

    private func checkRows(after last: Int64) throws(KeychainError) -> RowCheck {
        var check = RowCheck()
        let rows = try readers.read { (reader) throws(KeychainError) in
            let statement = try reader.statements[.wholeRows]
            defer { statement.reset() }
            statement.bind(1, last)
            statement.bind(2, Self.rowsPerCheck)
            var rows: [WholeRow] = []
            var bytes = 0
            while bytes < Self.bytesPerCheck, try statement.step() {
                let row = WholeRow(statement, layout)
                bytes += row.byteCount
                rows.append(row)
            }
            return rows
        }
        guard let end = rows.last else { return check }
        // A row with a higher number was added from outside since the check of the structure; it ends the check.
        if end.row <= Self.highestRow { check.next = end.row + 1 }
        check.rows = rows.count
        var damaged: [(row: WholeRow, reason: DamageReason)] = []
        for (row, verdict) in zip(rows, try examiner.examine(rows, withSecrets: true)) {
            try requireChecks()
            switch verdict {
            case .whole(let indexed, let secret):
                if indexed != row { check.findings.append(try mend(row, indexed)) }
                switch secret {
                case .damaged(let reason): damaged.append((row, reason))
                case .locked: check.locked += 1
                case .unopened, .whole: break
                }
            case .locked: check.locked += 1
            case .damaged(let reason): check.findings += try setAside(row, reason)
            }
        }
        for (row, reason) in damaged {
            try requireChecks()
            check.findings += try setAside(row, reason)
        }
        return check
    }

    /// Moves a row to the quarantine if the row has not changed since it was read; empty where it has changed.
    func setAside(_ row: WholeRow, _ reason: DamageReason) throws(KeychainError) -> [RowCheck.Finding] {
        let found = try readers.read { (reader) throws(KeychainError) -> WholeRow? in
            let statement = try reader.statements[.wholeRow]
            defer { statement.reset() }
            statement.bind(1, row.row)
            return try statement.step() ? WholeRow(statement, layout) : nil
        }
        guard let found, found.isSame(as: row) else { return [] }
        let damaged = DamagedRow(
            row: found.row, identifier: found.identifier, unique: found.unique,
            kind: examiner.kind(of: found), reason: reason
        ) { $0.isSame(as: found) }
        let outcome: CheckOutcome =
            switch quarantine([damaged]) {
            case .failed: .left
            case .moved: .setAside
            case .replaced: .replaced
            }
        return [Self.finding(row, reason, outcome)]
    }

    /// Writes the digests anew of a row whose seals are whole.
    ///
    /// Digests only lead to a row and are no part of its contents.
    private func mend(_ row: WholeRow, _ indexed: WholeRow) throws(KeychainError) -> RowCheck.Finding {
        let isMended = try writer.transaction { (session) throws(KeychainError) -> WriteOutcome<Bool> in
            let statement = try session.statements[.wholeRows]
            statement.bind(1, row.row - 1)
            statement.bind(2, 1)
            let isSame = try statement.step() && WholeRow(statement, layout) == row
            statement.reset()
            guard isSame else { return .rollback(true) }
            try session.delete(row: row.row)
            let (present, mended) = (
                session.rows.authenticator.term(of: row), session.rows.authenticator.term(of: indexed)
            )
            if lastAlterations.withLock({ $0.contains { $0.bucket == present.bucket } }) {
                // The digests were changed from outside: with the right ones the row is again the row that was written
                // last.
                session.rows.insert(present)
                session.rows.remove(mended)
            }
            // The deletion never stays alone: where the mended row cannot be inserted, the transaction is rolled back.
            guard case .inserted = try session.takeOver(indexed, base: 0, isAhead: false) else {
                return .rollback(false)
            }
            return .commit(true)
        }
        return Self.finding(row, .digest, isMended ? .mended : .left)
    }

    private static func finding(
        _ row: WholeRow, _ reason: DamageReason, _ outcome: CheckOutcome
    ) -> RowCheck.Finding { RowCheck.Finding(row: row, reason: reason, outcome: outcome) }
}
