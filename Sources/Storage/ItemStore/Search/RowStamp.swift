/// A row and its version, by which a change notices that somebody else was faster.
struct RowStamp: Hashable, Sendable {
    let uuid: [UInt8]
    let version: Int64

    init(_ statement: PreparedStatement) {
        uuid = statement.bytes(StoredRow.Column.uuid)
        version = statement.integer(StoredRow.Column.version)
    }
}
