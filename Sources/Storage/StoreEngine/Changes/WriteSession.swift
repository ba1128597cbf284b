import ChatelaineModel

/// What can be done inside a write transaction; never leaves it.
package struct WriteSession {
    /// Requests that are remembered: the answers of the last so many changes.
    static let rememberedRequests: UInt64 = 4096

    package let statements: StatementCache
    /// What becomes of the digest of all rows: whoever writes to the table of rows says so here.
    package let rows: RowSetChange
    /// The number of this change.
    package let sequence: UInt64
    /// Hours since 2001, the grain in which the file tells time in clear.
    package let hour: Int64
    /// Keys that no row may name that is written here.
    package let barred: BarredKeys

    /// What a row that is there adds to the digest of all rows, and what is sealed apart in it.
    ///
    /// - Parameter statement: reads ``RowLayout/digestedList`` of one row, and is bound.
    package func present(
        _ statement: PreparedStatement
    ) throws(KeychainError) -> (term: RowTerm, secret: [RowValue])? {
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        return (rows.authenticator.term(statement), rows.authenticator.secret(statement))
    }

    /// What the row of an identifier adds.
    package func present(identifier: Bytes16) throws(KeychainError) -> (term: RowTerm, secret: [RowValue])? {
        let statement = try statements[.termByIdentifier]
        try statement.bind(1, identifier)
        return try present(statement)
    }

    /// A change that is acknowledged has happened, whatever the database thinks of it.
    package func requireOne(_ statement: PreparedStatement) throws(KeychainError) {
        guard statement.changes == 1 else {
            throw KeychainError(.internalComponent, "a row was to be changed and \(statement.changes) were")
        }
    }

    /// Writes a new row; `bind` gives each column its value, by the place of the column.
    package func insert(
        _ term: RowTerm, _ bind: (PreparedStatement) throws(KeychainError) -> Void
    ) throws(KeychainError) {
        let statement = try statements[.insert]
        defer { statement.reset() }
        try bind(statement)
        _ = try statement.step()
        try requireOne(statement)
        rows.insert(term)
    }

    /// Writes a new row that is whole. What of its digests leads to it is its own; its number is what SQLite gives it.
    package func insert(_ row: WholeRow) throws(KeychainError) {
        try insert(rows.authenticator.term(of: row)) { (statement) throws(KeychainError) in
            try row.bind(to: statement, of: layout)
        }
    }

    package func delete(row: Int64) throws(KeychainError) {
        let reading = try statements[.termByRow]
        reading.bind(1, row)
        let old = try present(reading)
        let statement = try statements[.deleteRow]
        statement.bind(1, row)
        try statement.run()
        try requireOne(statement)
        if let old { rows.remove(old.term) }
    }

    /// Moves a row to the quarantine if it is still what it was when it did not open.
    func quarantine(_ damaged: DamagedRow) throws(KeychainError) -> Bool {
        let reading = try statements[.wholeRow]
        reading.bind(1, damaged.row)
        do {
            defer { reading.reset() }
            guard try reading.step(), damaged.isConfirmed(WholeRow(reading, layout)) else { return false }
        }
        try quarantine(row: damaged.row, because: damaged.reason)
        return true
    }

    /// Moves a row to the quarantine as it is.
    func quarantine(row: Int64, because reason: DamageReason) throws(KeychainError) {
        let moving = try statements[.quarantine]
        moving.bind(1, row)
        moving.bind(2, Int64(reason.rawValue))
        moving.bind(3, hour)
        try moving.run()
        try requireOne(moving)
        try delete(row: row)
    }

    var layout: RowLayout { statements.schema.layout }

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
            row: Bytes16(statement.lend(2)))
    }

    /// - Parameter row: the identifier of a row that the change has made.
    package func record(_ request: ChangeRequest, row: Bytes16? = nil) throws(KeychainError) {
        let statement = try statements[.recordRequest]
        defer { statement.reset() }
        statement.bind(1, Int64(sequence % Self.rememberedRequests))
        try statement.bind(2, request.name)
        try statement.bind(3, request.digest)
        statement.bind(4, Int64(Status.success.rawValue))
        try statement.bind(5, row)
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
