import ChatelaineModel
import Sealing

/// A row ready to be written: everything sealed and digested before any transaction begins.
struct PreparedRow: Sendable {
    let context: RowContext
    let uniqueDigest: [UInt8]
    /// In the order of ``SearchColumn``; all nil for a tombstone, which no search finds.
    let search: [Bytes16?]
    let metadataKeyID: UInt32
    let metadata: [UInt8]
    let secret: SecretColumn

    /// What becomes of the columns of the secret.
    enum SecretColumn: Sendable {
        /// They stay: the attributes alone have changed.
        case kept
        /// The item has no secret, or has one sealed anew.
        case written(SealedSecret?)
    }

    /// Binds the columns in the order of the table; `kept` ones are for statements that leave them out.
    func bind(to statement: PreparedStatement, sequence: UInt64) throws(KeychainError) {
        try statement.bind(1, context.row.value)
        statement.bind(2, Int64(context.itemClass.rawValue))
        statement.bind(3, Int64(context.accessibility.rawValue))
        statement.bind(4, context.isSynchronizable ? 1 : 0)
        statement.bind(5, context.isTombstone ? 1 : 0)
        statement.bind(6, Int64(clamping: context.version))
        statement.bind(7, Int64(clamping: sequence))
        try statement.bind(8, context.groupDigest)
        try statement.bind(9, uniqueDigest)
        for (index, digest) in search.enumerated() { try statement.bind(Int32(10 + index), digest) }
        statement.bind(15, Int64(metadataKeyID))
        try statement.bind(16, metadata)
        if case .written(let secret) = secret {
            statement.bind(17, secret?.classKey)
            try statement.bind(18, secret?.rowKey)
            try statement.bind(19, secret?.sealed)
        }
    }
}
