import ChatelaineModel
import Sealing
import StoreEngine

/// A row ready to be written, sealed and digested before any transaction begins.
struct PreparedRow: Sendable {
    let context: RowContext
    let uniqueDigest: [UInt8]
    /// The digests in the order of ``SearchColumn``; all nil for a tombstone, which no search finds.
    let search: [Bytes16?]
    let metadataKeyID: UInt32
    let metadata: [UInt8]
    let secret: SecretColumn

    /// The change to the columns of the secret.
    enum SecretColumn: Sendable {
        /// The columns stay, since only the attributes have changed.
        case kept
        /// The columns get a newly sealed secret, or none.
        case written(SealedSecret?)
    }

    /// Binds the columns; statements for `kept` secrets leave out the secret's columns.
    func bind(to statement: PreparedStatement, sequence: UInt64) throws(KeychainError) {
        try statement.bind(.uuid, context.row.value)
        statement.bind(.itemClass, Int64(context.itemClass.rawValue))
        statement.bind(.accessibility, Int64(context.accessibility.rawValue))
        statement.bind(.sync, context.isSynchronizable ? 1 : 0)
        statement.bind(.tomb, context.isTombstone ? 1 : 0)
        statement.bind(.version, Int64(clamping: context.version))
        statement.bind(.sequence, Int64(clamping: sequence))
        try statement.bind(.groupDigest, context.groupDigest)
        try statement.bind(.uniqueDigest, uniqueDigest)
        for (column, digest) in zip(ItemColumn.search, search) { try statement.bind(column, digest) }
        statement.bind(.metadataKey, Int64(metadataKeyID))
        try statement.bind(.metadata, metadata)
        if case .written(let secret) = secret {
            statement.bind(.classKey, secret?.classKey)
            try statement.bind(.rowKey, secret?.rowKey)
            try statement.bind(.secret, secret?.sealed)
        }
    }
}

extension PreparedRow {
    /// Whether all indices have the row under the same values as the present version.
    ///
    /// - Parameter present: a statement that stands on the present version and reads ``RowLayout/digestedList``.
    func isIndexed(like present: PreparedStatement) -> Bool {
        func place(_ column: ItemColumn) -> Int32 { column.rawValue - 1 }
        guard present.integer(place(.tomb)) == (context.isTombstone ? 1 : 0),
            context.groupDigest.withUnsafeBytes({ $0.elementsEqual(present.lend(place(.groupDigest))) }),
            present.lend(place(.uniqueDigest)).elementsEqual(uniqueDigest)
        else { return false }
        return zip(ItemColumn.search, search).allSatisfy { column, digest in
            guard let digest else { return present.isNull(place(column)) }
            return digest.withUnsafeBytes { $0.elementsEqual(present.lend(place(column))) }
        }
    }
}

extension MetadataKeys {
    /// Whether a key of a row was replaced after the row was prepared.
    func isRetired(_ row: PreparedRow) -> Bool {
        if isRetired(row.metadataKeyID) { return true }
        guard case .written(let secret?) = row.secret, let id = secret.classKeyID else { return false }
        return isRetired(id)
    }
}

extension RowAuthenticator {
    /// The term of a row that is about to be written, from its columns in the order of the table.
    ///
    /// - Parameter kept: the digested columns of the present row's secret, where that stays.
    func term(of row: PreparedRow, sequence: UInt64, kept: [RowValue]?) -> RowTerm {
        var content = RowContent()
        let context = row.context
        context.row.value.withUnsafeBytes { content.append($0) }
        for number in [
            Int64(context.itemClass.rawValue), Int64(context.accessibility.rawValue),
            context.isSynchronizable ? 1 : 0, context.isTombstone ? 1 : 0, Int64(clamping: context.version),
            Int64(clamping: sequence),
        ] { content.append(number) }
        context.groupDigest.withUnsafeBytes { content.append($0) }
        content.append(row.uniqueDigest)
        for digest in row.search {
            if let digest { digest.withUnsafeBytes { content.append($0) } } else { content.appendNull() }
        }
        content.append(Int64(row.metadataKeyID))
        content.append(row.metadata)
        switch row.secret {
        case .kept:
            for value in kept ?? ItemColumn.ofSecret.map({ _ in .null }) { content.append(value) }
        case .written(let secret?):
            content.append(secret.classKey)
            content.append(secret.rowKey)
            content.append(Int64(secret.sealed.count))
        case .written(nil): for _ in ItemColumn.ofSecret { content.appendNull() }
        }
        return context.row.value.withUnsafeBytes { term(of: content, identifier: $0) }
    }
}
