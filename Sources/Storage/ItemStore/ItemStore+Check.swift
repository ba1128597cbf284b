import ChatelaineModel

/// Verification of a whole store, in steps that each take a fraction of a second, so that whoever asks can show how far
/// it is, and stop.
extension ItemStore {
    /// Rows of one step, and sealed bytes after which it ends earlier.
    private static let rowsPerCheck: Int64 = 512
    private static let bytesPerCheck = 8 * 1024 * 1024
    /// Rows are numbered from 1; SQLite comes here after as many additions.
    private static let highestRow: Int64 = 1 << 62
    /// Findings of SQLite that are reported; one is enough to have the store made anew.
    private static let maximumStructureFindings = 10

    /// Verifies the next part; begin with position 0, and go on with ``StoreCheck/next``.
    ///
    /// The first step is SQLite's own check of pages and indices, which takes seconds for a million items, and the mark.
    /// The others open every row, secret included, and compare it with all its digests. A damaged row goes to the
    /// quarantine, as when a search meets it; damage to the structure makes the store one to be opened anew
    /// (``isDamaged``).
    package func check(from position: Int64) throws(KeychainError) -> StoreCheck {
        position <= 0 ? try checkStructure() : try checkRows(after: position - 1)
    }

    private func checkStructure() throws(KeychainError) -> StoreCheck {
        var check = StoreCheck()
        let first = try structureFindings()
        // A second opening decides.
        check.structure = first.isEmpty ? [] : try structureFindings()
        if !check.structure.isEmpty {
            health.note(.damaged)
            return check
        }
        try checkMark(&check)
        try verifyRows()
        let connection = try ReadConnection(reading: Self.database(in: folder))
        check.total = try ReadConnection.integer(connection.handle, "SELECT count(*) FROM items")
        check.next = 1
        return check
    }

    /// Whether the mark still says what the last change wrote there.
    private func checkMark(_ check: inout StoreCheck) throws(KeychainError) {
        let isSame = try writer.withIntegrity { (integrity) throws(KeychainError) in
            try HighWaterMark.find(places, integrity.keys) == .state(integrity.marked)
        }
        if !isSame { check.structure.append("the mark was changed or removed since the last change") }
    }

    /// What SQLite finds wrong, on a connection of its own; nothing for a whole database.
    private func structureFindings() throws(KeychainError) -> [String] {
        do throws(KeychainError) {
            let connection = try ReadConnection(reading: Self.database(in: folder))
            let statement = try PreparedStatement(
                connection.handle, "PRAGMA integrity_check(\(Self.maximumStructureFindings))")
            var findings: [String] = []
            while try statement.step() { findings.append(statement.text(0)) }
            if findings == ["ok"] { findings = [] }
            let strange = try ReadConnection.integer(
                connection.handle,
                "SELECT count(*) FROM items WHERE row < 1 OR row > \(Self.highestRow)")
            if strange > 0 { findings.append("\(strange) rows have numbers that no row ever gets") }
            if try !StoreSchema.isSound(connection.handle) {
                findings.append("the database has other tables, indexes, programs or settings than a store's")
            }
            return findings
        } catch {
            guard error.cause == .damage else { throw error }
            return ["SQLite cannot read the database"]
        }
    }

    private func checkRows(after last: Int64) throws(KeychainError) -> StoreCheck {
        var check = StoreCheck()
        let rows = try readers.read { (reader) throws(KeychainError) in
            let statement = try reader.statements[.wholeRows]
            defer { statement.reset() }
            statement.bind(1, last)
            statement.bind(2, Self.rowsPerCheck)
            var rows: [WholeRow] = []
            var bytes = 0
            while bytes < Self.bytesPerCheck, try statement.step() {
                let row = WholeRow(statement)
                bytes += row.metadata.count + (row.secret?.sealed.count ?? 0)
                rows.append(row)
            }
            return rows
        }
        guard let end = rows.last else { return check }
        // One that somebody made since the check of the structure ends the check.
        if end.row <= Self.highestRow { check.next = end.row + 1 }
        check.rows = rows.count
        let unknown = try metadataKeys.fetch(Set(rows.compactMap { UInt32(exactly: $0.metadataKey) }))
        let examiner = RowExaminer(store: identifier, keys: metadataKeys.all, unknownKeys: unknown, digests: digests)
        var opened: [OpenedRow] = []
        for row in rows {
            switch examiner.examine(row) {
            case .whole(let whole, let indexed):
                opened.append(whole)
                if indexed != row { check.findings.append(try mend(row, indexed)) }
            case .missingKey: check.locked += 1
            case .damaged(let reason): check.findings += try setAside(row, reason)
            }
        }
        try checkSecrets(opened, rows, &check)
        return check
    }

    private func checkSecrets(
        _ opened: [OpenedRow], _ rows: [WholeRow], _ check: inout StoreCheck
    ) throws(KeychainError) {
        let secrets: [RowSealer.Opened]
        do throws(KeychainError) { secrets = try sealer.openSecrets(opened) } catch {
            guard error.cause == .locked else { throw error }
            check.locked += opened.count
            return
        }
        for (row, secret) in zip(opened, secrets) {
            guard case .damaged(let reason) = secret, let stored = rows.first(where: { $0.row == row.row }) else {
                continue
            }
            check.findings += try setAside(stored, reason)
        }
    }

    /// Moves a row to the quarantine if it is still what it was; none where it has changed since.
    private func setAside(_ row: WholeRow, _ reason: DamageReason) throws(KeychainError) -> [StoreCheck.Finding] {
        let stored = try readers.read { (reader) throws(KeychainError) -> StoredRow? in
            let statement = try reader.statements[.row]
            defer { statement.reset() }
            statement.bind(1, row.row)
            return try statement.step() ? StoredRow(statement, hasSecret: true) : nil
        }
        guard let stored, stored.uuid == row.uuid, stored.version == row.version, stored.metadata == row.metadata,
            stored.secret == row.secret
        else { return [] }
        let outcome: CheckOutcome =
            switch quarantine([DamagedRow(stored: stored, hasSecret: true, reason: reason)]) {
            case .failed: .left
            case .moved: .setAside
            case .replaced: .replaced
            }
        return [Self.finding(row, reason, outcome)]
    }

    /// Writes the digests of a row anew whose seals are whole: they only lead to it, and are no part of it.
    private func mend(_ row: WholeRow, _ indexed: WholeRow) throws(KeychainError) -> StoreCheck.Finding {
        let isMended = try writer.transaction { (session) throws(KeychainError) -> WriteOutcome<Bool> in
            let statement = try session.statements[.wholeRows]
            statement.bind(1, row.row - 1)
            statement.bind(2, 1)
            let isSame = try statement.step() && WholeRow(statement) == row
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
    ) -> StoreCheck.Finding {
        StoreCheck.Finding(
            identifier: ItemIdentifier(row.uuid) ?? ItemIdentifier(),
            itemClass: UInt8(exactly: row.itemClass).flatMap(ItemClass.init), reason: reason, outcome: outcome)
    }
}
