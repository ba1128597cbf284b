import ChatelaineModel

/// What can be done inside a write transaction; never leaves it.
struct WriteSession {
    /// Requests that are remembered: the answers of the last so many changes.
    static let rememberedRequests: UInt64 = 4096

    let statements: StatementCache
    /// What becomes of the digest of all rows: whoever writes to the table of items says so here.
    let rows: RowSetChange
    /// The number of this change.
    let sequence: UInt64
    /// Hours since 2001, the grain in which the file tells time in clear.
    let hour: Int64

    func insert(_ row: PreparedRow) throws(KeychainError) {
        let statement = try statements[.insert]
        defer { statement.reset() }
        try row.bind(to: statement, sequence: sequence)
        _ = try statement.step()
        try requireOne(statement)
        rows.insert(rows.authenticator.term(of: row, sequence: sequence, kept: nil))
    }

    /// Writes the next version of a row whose stamp was checked in this transaction.
    func update(_ row: PreparedRow) throws(KeychainError) {
        let old = try present(.termByIdentifier) { (statement) throws(KeychainError) in
            try statement.bind(1, row.context.row.value)
        }
        let statement: PreparedStatement =
            switch row.secret {
            case .kept: try statements[.updateRow]
            case .written: try statements[.updateRowAndSecret]
            }
        defer { statement.reset() }
        try row.bind(to: statement, sequence: sequence)
        _ = try statement.step()
        try requireOne(statement)
        if let old { rows.remove(old.term) }
        rows.insert(rows.authenticator.term(of: row, sequence: sequence, kept: old?.secret))
    }

    /// What a row that is there adds to the digest of all rows, and its secret.
    private func present(
        _ name: StoreStatement, _ bind: (PreparedStatement) throws(KeychainError) -> Void
    ) throws(KeychainError) -> (term: RowTerm, secret: RowAuthenticator.SecretStamp)? {
        let statement = try statements[name]
        defer { statement.reset() }
        try bind(statement)
        guard try statement.step() else { return nil }
        return (rows.authenticator.term(statement), RowAuthenticator.SecretStamp(statement))
    }

    /// A change that is acknowledged has happened, whatever the database thinks of it.
    func requireOne(_ statement: PreparedStatement) throws(KeychainError) {
        guard statement.changes == 1 else {
            throw KeychainError(.internalComponent, "a row was to be changed and \(statement.changes) were")
        }
    }

    func delete(row: Int64) throws(KeychainError) {
        let old = try present(.termByRow) { $0.bind(1, row) }
        let statement = try statements[.deleteRow]
        statement.bind(1, row)
        try statement.run()
        try requireOne(statement)
        if let old { rows.remove(old.term) }
    }

    /// The tombstone that the next item with these unique attributes takes the place of.
    func tombstone(of uniqueDigest: [UInt8]) throws(KeychainError) -> RowStamp? {
        let statement = try statements[.tombstoneByUnique]
        defer { statement.reset() }
        try statement.bind(1, uniqueDigest)
        return try statement.step() ? RowStamp(statement) : nil
    }

    /// Makes a row its own tombstone, in place of an older one of the same item.
    func bury(_ row: PreparedRow) throws(KeychainError) {
        let old = try present(.termOfTombstone) { (statement) throws(KeychainError) in
            try statement.bind(1, row.uniqueDigest)
        }
        let statement = try statements[.deleteOldTombstone]
        try statement.bind(1, row.uniqueDigest)
        try statement.run()
        if let old { rows.remove(old.term) }
        try update(row)
    }

    /// Moves a row to the quarantine if it is still what it was when it did not open.
    func quarantine(_ damaged: DamagedRow) throws(KeychainError) -> Bool {
        let reading = try statements[.row]
        reading.bind(1, damaged.stored.row)
        do {
            defer { reading.reset() }
            guard try reading.step() else { return false }
            let again = StoredRow(reading, hasSecret: damaged.hasSecret)
            guard again.isSame(as: damaged.stored, withSecret: damaged.hasSecret) else { return false }
        }
        let moving = try statements[.quarantine]
        moving.bind(1, damaged.stored.row)
        moving.bind(2, Int64(damaged.reason.rawValue))
        moving.bind(3, hour)
        try moving.run()
        try requireOne(moving)
        try delete(row: damaged.stored.row)
        return true
    }

    /// Whether the plan still brings up exactly these rows in these versions.
    func isCurrent(_ outcome: SearchOutcome, of plan: SearchPlan) throws(KeychainError) -> Bool {
        // Nothing at all has changed since.
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

    /// The answer that this request got before, if it did.
    ///
    /// `errSecParam` when its number stood for another request.
    static func answer(
        to request: ChangeRequest, _ statements: StatementCache
    ) throws(KeychainError) -> FirstAnswer? {
        let statement = try statements[.request]
        defer { statement.reset() }
        try statement.bind(1, request.name)
        try statement.bind(2, request.formerName)
        guard try statement.step() else { return nil }
        // Answers of format 2 have digests under a key that makes none any more.
        guard statement.isNull(0) || statement.lend(0).elementsEqual(request.digest) else {
            throw KeychainError(.param, "the number of this request has been used for another one")
        }
        return FirstAnswer(
            status: Status(rawValue: Int32(truncatingIfNeeded: statement.integer(1))),
            item: ItemIdentifier(statement.lend(2)))
    }

    func record(_ request: ChangeRequest, item: ItemIdentifier? = nil) throws(KeychainError) {
        let statement = try statements[.recordRequest]
        defer { statement.reset() }
        statement.bind(1, Int64(sequence % Self.rememberedRequests))
        try statement.bind(2, request.name)
        try statement.bind(3, request.digest)
        statement.bind(4, Int64(Status.success.rawValue))
        try statement.bind(5, item?.value)
        _ = try statement.step()
    }

    /// Forgets the answers of all changes up to a number, and answers how many there were.
    func forgetAnswers(upTo forgotten: UInt64) throws(KeychainError) -> Int {
        // The change that is under way has none itself.
        let last = sequence - 1
        let kept = min(last > forgotten ? last - forgotten : 0, Self.rememberedRequests)
        let statement = try statements[.forgetRequests]
        statement.bind(1, Int64((last - kept + 1) % Self.rememberedRequests))
        statement.bind(2, Int64(kept))
        try statement.run()
        return Int(statement.changes)
    }
}
