import ChatelaineModel
import StoreEngine

/// The operations on items inside a write transaction.
extension WriteSession {
    /// Whether prepared rows may be written: their keys may have been replaced meanwhile, and be about to be destroyed.
    func accepts(_ rows: [PreparedRow]) -> Bool {
        rows.allSatisfy { row in
            guard !barred.isBarred(Int64(row.metadataKeyID)) else { return false }
            if case .written(let secret?) = row.secret { return !barred.isBarred(secret.classKey) }
            return true
        }
    }

    func insert(_ row: PreparedRow) throws(KeychainError) {
        try insert(rows.authenticator.term(of: row, sequence: sequence, kept: nil)) {
            (statement) throws(KeychainError) in
            try row.bind(to: statement, sequence: sequence)
        }
    }

    /// Writes the next version of a row whose stamp was checked in this transaction.
    ///
    /// SQLite writes the entry of each index anew whose column a statement names, also if the value stays. That is most
    /// of the pages of the change. So a version with the digests of the one before it names none of these columns.
    func update(_ row: PreparedRow) throws(KeychainError) {
        var keepsIndices = false
        let old = try present(identifier: row.context.row.value) { keepsIndices = row.isIndexed(like: $0) }
        let statement: PreparedStatement =
            switch (row.secret, keepsIndices) {
            case (.kept, false): try statements[.updateRow]
            case (.kept, true): try statements[.updateContent]
            case (.written, false): try statements[.updateRowAndSecret]
            case (.written, true): try statements[.updateContentAndSecret]
            }
        defer { statement.reset() }
        try row.bind(to: statement, sequence: sequence)
        _ = try statement.step()
        try requireOne(statement)
        if let old { rows.remove(old.term) }
        rows.insert(rows.authenticator.term(of: row, sequence: sequence, kept: old?.secret))
    }

    /// The tombstone that the next item with these unique attributes replaces.
    func tombstone(of uniqueDigest: [UInt8]) throws(KeychainError) -> RowStamp? {
        let statement = try statements[.tombstoneByUnique]
        defer { statement.reset() }
        try statement.bind(1, uniqueDigest)
        return try statement.step() ? RowStamp(statement) : nil
    }

    /// Turns a row into its own tombstone, which replaces an older one of the same item.
    func bury(_ row: PreparedRow) throws(KeychainError) {
        let reading = try statements[.termOfTombstone]
        try reading.bind(1, row.uniqueDigest)
        let old = try present(reading)
        let statement = try statements[.deleteOldTombstone]
        try statement.bind(1, row.uniqueDigest)
        try statement.run()
        if let old { rows.remove(old.term) }
        try update(row)
    }

    /// Whether the plan still finds exactly these rows in these versions.
    func isCurrent(_ outcome: SearchOutcome, of plan: SearchPlan) throws(KeychainError) -> Bool {
        // No other change has come since the search.
        if sequence == outcome.sequence + 1 { return true }
        var stamps: [RowStamp] = []
        for probe in plan.probes {
            try plan.run(probe, on: statements) { (statement) throws(KeychainError) in
                stamps.append(RowStamp(statement))
                return stamps.count <= outcome.stamps.count
            }
        }
        return stamps == outcome.stamps
    }
}
