import ChatelaineModel

/// The operations inside a write transaction; a session never leaves its transaction.
package struct WriteSession {
    /// The number of latest changes whose answers are remembered.
    static let rememberedRequests: UInt64 = 4096

    package let statements: StatementCache
    /// The change of the digest of all rows; code that writes to the table of rows reports each write here.
    package let rows: RowSetChange
    /// The number of this change.
    package let sequence: UInt64
    /// The present hour, in hours since 2001; the file shows dates in clear in whole hours only.
    package let hour: Int64
    /// The keys that no written row may name.
    package let barred: BarredKeys

    /// The term of a present row in the digest of all rows, with the columns of its secret.
    ///
    /// - Parameters:
    ///   - statement: a bound statement that reads ``RowLayout/digestedList`` of one row.
    ///   - look: looks at the columns of the row; not called where there is none.
    package func present(
        _ statement: PreparedStatement, look: (PreparedStatement) -> Void = { _ in }
    ) throws(KeychainError) -> (term: RowTerm, secret: [RowValue])? {
        defer { statement.reset() }
        guard try statement.step() else { return nil }
        look(statement)
        return (rows.authenticator.term(statement), rows.authenticator.secret(statement))
    }

    /// The term and the secret columns of the row with this identifier.
    package func present(
        identifier: Bytes16, look: (PreparedStatement) -> Void = { _ in }
    ) throws(KeychainError) -> (term: RowTerm, secret: [RowValue])? {
        let statement = try statements[.termByIdentifier]
        try statement.bind(1, identifier)
        return try present(statement, look: look)
    }

    /// Throws unless the statement changed one row: an acknowledged change must have happened.
    package func requireOne(_ statement: PreparedStatement) throws(KeychainError) {
        guard statement.changes == 1 else {
            throw KeychainError(.internalComponent, "a row was to be changed and \(statement.changes) were")
        }
    }

    /// Writes a new row; `bind` binds the value of each column to the parameter of the column's place.
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

    /// Writes a whole row as a new one, with its own digests; SQLite chooses its row id.
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

    /// Moves a damaged row to the quarantine if its present contents confirm the damage.
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

    /// Moves a row to the quarantine with its present contents.
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

    /// The answer that this request got before; nil for a new request.
    ///
    /// - Throws: `errSecParam` where the request's name stood for another request.
    static func answer(
        to request: ChangeRequest, _ statements: StatementCache
    ) throws(KeychainError) -> FirstAnswer? {
        let statement = try statements[.request]
        defer { statement.reset() }
        try statement.bind(1, request.name)
        try statement.bind(2, request.formerName)
        guard try statement.step() else { return nil }
        // Answers of format 2 lack a digest, since the key of their digests makes none any more.
        guard statement.isNull(0) || statement.lend(0).elementsEqual(request.digest) else {
            throw KeychainError(.param, "the number of this request has been used for another one")
        }
        return FirstAnswer(
            status: Status(rawValue: Int32(truncatingIfNeeded: statement.integer(1))),
            row: Bytes16(statement.lend(2)))
    }

    /// Records the answer to a request.
    ///
    /// - Parameter row: the identifier of the row that the change made.
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

    /// Deletes the answers of all changes up to a number; answers how many they were.
    func forgetAnswers(upTo forgotten: UInt64) throws(KeychainError) -> Int {
        // The change that is under way has no answer yet.
        let last = sequence - 1
        let kept = min(last > forgotten ? last - forgotten : 0, Self.rememberedRequests)
        let statement = try statements[.forgetRequests]
        statement.bind(1, Int64((last - kept + 1) % Self.rememberedRequests))
        statement.bind(2, Int64(kept))
        try statement.run()
        return Int(statement.changes)
    }
}
