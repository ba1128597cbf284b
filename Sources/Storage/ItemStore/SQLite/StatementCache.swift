import ChatelaineModel

/// The statements of one connection, prepared when first needed.
final class StatementCache {
    private let connection: OpaquePointer
    private var prepared: [PreparedStatement?]

    init(_ connection: OpaquePointer) {
        self.connection = connection
        prepared = Array(repeating: nil, count: StoreStatement.allCases.count)
    }

    /// Ends all of them, as before the connection closes.
    func removeAll() { for index in prepared.indices { prepared[index] = nil } }

    subscript(_ name: StoreStatement) -> PreparedStatement {
        get throws(KeychainError) {
            if let statement = prepared[name.rawValue] { return statement }
            let statement = try PreparedStatement(connection, name.sql)
            prepared[name.rawValue] = statement
            return statement
        }
    }
}
