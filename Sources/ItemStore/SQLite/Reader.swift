import ChatelaineModel

/// A reading connection and its prepared statements.
// `@unchecked Sendable`: ``ReaderPool`` hands each to one thread at a time, with a lock in between.
final class Reader: @unchecked Sendable {
    private let connection: ReadConnection
    let statements: StatementCache

    init(path: String) throws(KeychainError) {
        connection = try ReadConnection(reading: path)
        statements = StatementCache(connection.handle)
    }

    /// Lets several statements see one state of the store.
    func snapshot<Value>(_ body: () throws(KeychainError) -> Value) throws(KeychainError) -> Value {
        try statements[.begin].run()
        do {
            let value = try body()
            try statements[.end].run()
            return value
        } catch {
            try? statements[.end].run()
            throw error
        }
    }
}
