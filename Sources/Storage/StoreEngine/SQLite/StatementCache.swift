import ChatelaineModel
import GRDBSQLite

/// How a transaction of a change ends.
enum TransactionEnd {
    case commit, rollback
}

/// The statements of one connection, prepared on first use: those of the engine, then those of the kind of store.
package final class StatementCache {
    let schema: RowSchema
    private let connection: OpaquePointer
    private var prepared: [PreparedStatement?]
    /// The number of the first statement of the kind of store.
    private let declared = EngineStatement.allCases.count

    init(_ connection: OpaquePointer, _ schema: RowSchema) {
        self.connection = connection
        self.schema = schema
        prepared = Array(repeating: nil, count: schema.statements.count)
    }

    /// Ends all statements, before the connection closes.
    func removeAll() { for index in prepared.indices { prepared[index] = nil } }

    subscript(_ name: EngineStatement) -> PreparedStatement {
        get throws(KeychainError) { try statement(name.rawValue) }
    }

    /// A statement of the kind of store, by its number in the schema's declaration.
    package subscript(declared number: Int) -> PreparedStatement {
        get throws(KeychainError) { try statement(declared + number) }
    }

    /// The number of the last change, in the state that the connection sees.
    package func sequence() throws(KeychainError) -> UInt64 {
        let statement = try self[.sequence]
        defer { statement.reset() }
        return try statement.step() ? UInt64(clamping: statement.integer(0)) : 0
    }

    /// Runs `body` in a transaction that begins with the lock of all writers, and rolls it back where `body` throws.
    ///
    /// GRDB would compile the statements at both ends anew, which takes some 7 % of the daemon's time for a change.
    func inChange(_ body: () throws -> TransactionEnd) throws {
        try self[.beginChange].run()
        do {
            if case .commit = try body() {
                // SQLite may have rolled the transaction back after an error that `body` did not throw.
                guard isInTransaction else { throw KeychainError(.internalComponent, "a transaction ended by itself") }
                return try self[.end].run()
            }
        } catch {
            try? rollBack()
            throw error
        }
        try rollBack()
    }

    /// Runs `body`, which only reads, on one state of the database.
    func inRead<Value>(_ body: () throws(KeychainError) -> Value) throws(KeychainError) -> Value {
        try self[.begin].run()
        defer {
            // Nothing was written, so both ends are the same; whoever has the connection finds it without transaction.
            if (try? self[.end].run()) == nil { try? rollBack() }
        }
        return try body()
    }

    private func rollBack() throws(KeychainError) { if isInTransaction { try self[.rollBack].run() } }

    private var isInTransaction: Bool { sqlite3_get_autocommit(connection) == 0 }

    private func statement(_ number: Int) throws(KeychainError) -> PreparedStatement {
        if let statement = prepared[number] { return statement }
        let statement = try PreparedStatement(connection, schema.statements[number])
        prepared[number] = statement
        return statement
    }
}
