import ChatelaineModel

/// What can be done inside a write transaction; never leaves it.
struct WriteSession {
    /// Requests that are remembered: the answers of the last so many changes.
    static let rememberedRequests: UInt64 = 4096

    let statements: StatementCache
    /// The number of this change.
    let sequence: UInt64
    /// Hours since 2001, the grain in which the file tells time in clear.
    let hour: Int64

    func insert(_ row: PreparedRow) throws(KeychainError) {
        let statement = try statements[.insert]
        defer { statement.reset() }
        try row.bind(to: statement, sequence: sequence)
        _ = try statement.step()
    }

    /// Writes the next version of a row whose stamp was checked in this transaction.
    func update(_ row: PreparedRow) throws(KeychainError) {
        let statement: PreparedStatement =
            switch row.secret {
            case .kept: try statements[.updateRow]
            case .written: try statements[.updateRowAndSecret]
            }
        defer { statement.reset() }
        try row.bind(to: statement, sequence: sequence)
        _ = try statement.step()
        guard statement.changes == 1 else {
            throw KeychainError(.internalComponent, "a row was to be changed and \(statement.changes) were")
        }
    }

    func delete(row: Int64) throws(KeychainError) {
        let statement = try statements[.deleteRow]
        statement.bind(1, row)
        try statement.run()
    }

    /// Makes a row its own tombstone, in place of an older one of the same item.
    func bury(_ row: PreparedRow) throws(KeychainError) {
        let statement = try statements[.deleteOldTombstone]
        try statement.bind(1, row.uniqueDigest)
        try statement.run()
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
        try statement.bind(1, request.caller)
        try statement.bind(2, request.identifier)
        guard try statement.step() else { return nil }
        guard statement.lend(0).elementsEqual(request.digest) else {
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
        try statement.bind(2, request.caller)
        try statement.bind(3, request.identifier)
        try statement.bind(4, request.digest)
        statement.bind(5, Int64(Status.success.rawValue))
        try statement.bind(6, item?.value)
        statement.bind(7, hour)
        _ = try statement.step()
    }
}
