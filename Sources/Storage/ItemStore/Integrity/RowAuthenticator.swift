import ChatelaineModel
import Sealing

/// Computes the terms of rows: a keyed digest over all columns, digests and seals among them.
///
/// Of the secret only its length counts: its row key, which does count, seals one secret and never another, so that an
/// exchanged secret does not open. So a row of any size costs the same, and no page of a large secret is read.
///
/// The terms of rows that are there never change. A column that comes later is to count where it is not NULL, behind all others.
struct RowAuthenticator: Sendable {
    /// What is read of a row, in the order in which it is digested: all columns but the row id.
    static let columns = ItemColumn.stored.map { $0 == .secret ? "length(\($0.name))" : $0.name }
        .joined(separator: ", ")

    /// The place of a column among them.
    static func place(of column: ItemColumn) -> Int32 { column.rawValue - 1 }

    private let digest: KeyedDigest

    init(_ digest: KeyedDigest) { self.digest = digest }

    /// The columns of a secret that a change of attributes leaves as they are.
    struct SecretStamp: Sendable {
        var classKey: Int64?
        var rowKey: [UInt8]?
        var byteCount: Int64?

        init(_ secret: SealedSecret?) {
            classKey = secret?.classKey
            rowKey = secret?.rowKey
            byteCount = secret.map { Int64($0.sealed.count) }
        }

        /// Of a statement that reads ``RowAuthenticator/columns``.
        init(_ statement: PreparedStatement) {
            let (key, length) = (RowAuthenticator.place(of: .classKey), RowAuthenticator.place(of: .secret))
            classKey = statement.isNull(key) ? nil : statement.integer(key)
            rowKey = statement.optionalBytes(RowAuthenticator.place(of: .rowKey))
            byteCount = statement.isNull(length) ? nil : statement.integer(length)
        }
    }

    /// The term of a row as it is in the file; the statement reads ``columns``.
    func term(_ statement: PreparedStatement) -> RowTerm {
        var content = RowContent()
        for column in 0..<Int32(ItemColumn.stored.count) {
            if statement.isNull(column) {
                content.appendNull()
            } else if statement.isInteger(column) {
                content.append(statement.integer(column))
            } else {
                content.append(statement.lend(column))
            }
        }
        return term(of: content, bucket: statement.lend(Self.place(of: .uuid)).first)
    }

    /// The term of a row that is about to be written.
    ///
    /// - Parameter kept: the secret of the row that is there, where that stays.
    func term(of row: PreparedRow, sequence: UInt64, kept: SecretStamp?) -> RowTerm {
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
        case .kept: content.append(kept ?? SecretStamp(nil))
        case .written(let secret): content.append(SecretStamp(secret))
        }
        return term(of: content, bucket: context.row.bytes.first)
    }

    /// The term of a row that comes from a snapshot or a damaged store.
    func term(of row: WholeRow) -> RowTerm {
        var content = RowContent()
        content.append(row.uuid)
        for number in [row.itemClass, row.accessibility, row.sync, row.tomb, row.version, row.sequence] {
            content.append(number)
        }
        content.append(row.groupDigest)
        content.append(row.uniqueDigest)
        for digest in row.search { if let digest { content.append(digest) } else { content.appendNull() } }
        content.append(row.metadataKey)
        content.append(row.metadata)
        content.append(SecretStamp(row.secret))
        return term(of: content, bucket: row.uuid.first)
    }

    /// The term of a row that lies in a page: that of the ``WholeRow`` that it would be taken over as.
    ///
    /// - Parameter content: to be used again for the next row; there may be millions, and somebody waits.
    func term(of item: RawItem, _ content: inout RowContent) -> RowTerm {
        content.removeAll()
        for column in ItemColumn.outsideSecret {
            if let number = item.integer(column) {
                content.append(number)
            } else if !item.isNull(column), let blob = item.lend(column) {
                content.append(blob)
            } else {
                content.appendNull()
            }
        }
        if item.hasSecret == true, let classKey = item.integer(.classKey), let rowKey = item.lend(.rowKey) {
            content.append(classKey)
            content.append(rowKey)
            content.append(Int64(item.count(.secret)))
        } else {
            content.append(SecretStamp(nil))
        }
        return term(of: content, bucket: item.lend(.uuid)?.first)
    }

    private func term(of content: RowContent, bucket first: UInt8?) -> RowTerm {
        let value = content.bytes.withUnsafeBytes { digest.withDigest(of: $0) { WideSum($0) } }
        return RowTerm(bucket: Int(first ?? 0) % RowMultiset.bucketCount, value: value)
    }
}

/// What is digested of a row: columns one after the other, each with its type and length, so that no two rows come to the same
/// bytes.
struct RowContent {
    private(set) var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(1024) }

    mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    mutating func appendNull() { bytes.append(0) }

    mutating func append(_ number: Int64) {
        bytes.append(1)
        withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
    }

    mutating func append(_ blob: UnsafeRawBufferPointer) {
        bytes.append(2)
        withUnsafeBytes(of: UInt64(blob.count).littleEndian) { bytes.append(contentsOf: $0) }
        bytes.append(contentsOf: blob)
    }

    mutating func append(_ blob: [UInt8]) { blob.withUnsafeBytes { append($0) } }

    mutating func append(_ secret: RowAuthenticator.SecretStamp) {
        if let classKey = secret.classKey { append(classKey) } else { appendNull() }
        if let rowKey = secret.rowKey { append(rowKey) } else { appendNull() }
        if let count = secret.byteCount { append(count) } else { appendNull() }
    }
}
