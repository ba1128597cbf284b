import ChatelaineModel

/// What one step of a full verification found.
package struct RowCheck: Sendable {
    /// A row that is not what it should be.
    package struct Finding: Sendable {
        /// As it was read, with what is sealed in it.
        package let row: WholeRow
        package let reason: DamageReason
        /// Where it is now.
        package let outcome: CheckOutcome
    }

    /// Where the next step begins; nil at the end.
    package var next: Int64?
    /// Rows, deleted ones among them, that this step opened.
    package var rows = 0
    /// Those of them that are locked, of which nothing can be said.
    package var locked = 0
    /// Rows that there are in all; in the first step only.
    package var total: Int64?
    package var findings: [Finding] = []
    /// What SQLite says of the structure of the file, and what the mark says; in the first step only.
    package var structure: [String] = []
}

/// Verification of a whole store, in steps that each take a fraction of a second, so that whoever asks can show how far
/// it is, and stop.
extension RowStore {
    /// Rows of one step, and sealed bytes after which it ends earlier.
    private static let rowsPerCheck: Int64 = 512
    private static let bytesPerCheck = 8 * 1024 * 1024
    /// Rows are numbered from 1; SQLite comes here after as many additions.
    private static let highestRow: Int64 = 1 << 62
    /// Findings of SQLite that are reported; one is enough to have the store made anew.
    private static let maximumStructureFindings = 10

    /// Verifies the next part; begin with position 0, and go on with ``RowCheck/next``.
    ///
    /// The first step is SQLite's own check of pages and indices, which takes seconds for a million items, and the mark.
    /// The others open every row, secret included, and compare it with all its digests. A damaged row goes to the
    /// quarantine, as when a search meets it; damage to the structure makes the store one to be opened anew
    /// (``isDamaged``).
    package func check(from position: Int64) throws(KeychainError) -> RowCheck {
        position <= 0 ? try checkStructure() : try checkRows(after: position - 1)
    }

    private func checkStructure() throws(KeychainError) -> RowCheck {
        var check = RowCheck()
        let first = try structureFindings()
        // A second opening decides.
        check.structure = first.isEmpty ? [] : try structureFindings()
        if !check.structure.isEmpty {
            health.note(.damaged)
            return check
        }
        try checkMark(&check)
        try verifyRows()
        check.total = try withOwnConnection { (connection) throws(KeychainError) in
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

    /// What SQLite finds wrong, on a connection of its own; nothing for a whole database.
    private func structureFindings() throws(KeychainError) -> [String] {
        do throws(KeychainError) {
            return try withOwnConnection { (connection) throws(KeychainError) in
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
        // One that somebody made since the check of the structure ends the check.
        if end.row <= Self.highestRow { check.next = end.row + 1 }
        check.rows = rows.count
        var damaged: [(row: WholeRow, reason: DamageReason)] = []
        for (row, verdict) in zip(rows, try examiner.examine(rows, withSecrets: true)) {
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
        for (row, reason) in damaged { check.findings += try setAside(row, reason) }
        return check
    }

    /// Moves a row to the quarantine if it is still what it was; none where it has changed since.
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

    /// Writes the digests of a row anew whose seals are whole: they only lead to it, and are no part of it.
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
                // Its digests were changed from outside: with the right ones it is again the row that was written last.
                session.rows.insert(present)
                session.rows.remove(mended)
            }
            // Never without the row: where it cannot go back, it stays as it is.
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
