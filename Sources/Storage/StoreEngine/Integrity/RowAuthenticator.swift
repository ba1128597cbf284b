import ChatelaineModel
import Sealing

/// Computes the terms of rows: keyed digests over all columns, digests and seals among them.
///
/// A column that is declared so counts by its length only. For example, a row key counts, and seals one secret and no
/// other, so that an exchanged secret does not open. So a row of any size costs the same, and no page of a large secret
/// is read.
///
/// The terms of present rows never change. A later column has to count only where it is not NULL, after all others.
package struct RowAuthenticator: Sendable {
    let layout: RowLayout
    private let digest: KeyedDigest

    init(_ digest: KeyedDigest, _ layout: RowLayout) {
        self.digest = digest
        self.layout = layout
    }

    /// The place of a column in a statement that reads a row's digested columns, which leave out the row id.
    private func column(_ place: Int) -> Int32 { Int32(place - 1) }

    /// The term of a row in the file; the statement reads ``RowLayout/digestedList``.
    package func term(_ statement: PreparedStatement) -> RowTerm {
        var content = RowContent()
        for column in 0..<Int32(layout.stored.count) {
            if statement.isNull(column) {
                content.appendNull()
            } else if statement.isInteger(column) {
                content.append(statement.integer(column))
            } else {
                content.append(statement.lend(column))
            }
        }
        return term(of: content, identifier: statement.lend(column(layout.identifier)))
    }

    /// The identifier of the row that such a statement reads.
    func identifier(_ statement: PreparedStatement) -> UnsafeRawBufferPointer {
        statement.lend(column(layout.identifier))
    }
    func version(_ statement: PreparedStatement) -> Int64 { statement.integer(column(layout.version)) }

    /// The digested columns of the row's secret, for a change that keeps them.
    func secret(_ statement: PreparedStatement) -> [RowValue] {
        layout.secret.map { place in
            let column = column(place)
            if statement.isNull(column) { return .null }
            return statement.isInteger(column) ? .integer(statement.integer(column)) : .blob(statement.bytes(column))
        }
    }

    /// The term of a row that is about to be written; `content` has the row's columns in their order.
    package func term(of content: RowContent, identifier: UnsafeRawBufferPointer) -> RowTerm {
        let value = content.withUnsafeBytes { digest.withDigest(of: $0) { UInt256($0) } }
        return RowTerm(bucket: Int(identifier.first ?? 0) % RowMultisetHash.bucketCount, value: value)
    }

    /// The term of a row that comes from a snapshot or a damaged store.
    package func term(of row: WholeRow) -> RowTerm {
        var content = RowContent()
        for place in layout.stored {
            if layout.isDigestedByLength(place), case .blob(let bytes) = row[place] {
                content.append(Int64(bytes.count))
            } else {
                content.append(row[place])
            }
        }
        return row.identifier.withUnsafeBytes { term(of: content, identifier: $0) }
    }

    /// The term of a row in a page; the ``WholeRow`` of a takeover has the same one.
    ///
    /// - Parameter content: a buffer that is used again for each row; there may be millions, while somebody waits.
    func term(of row: RawRow, _ content: inout RowContent) -> RowTerm {
        content.removeAll()
        for place in layout.stored {
            if row.isNull(place) {
                content.appendNull()
            } else if layout.isDigestedByLength(place) {
                content.append(Int64(row.count(place)))
            } else if let number = row.integer(place) {
                content.append(number)
            } else if let blob = row.lend(place) {
                content.append(blob)
            } else {
                content.appendNull()
            }
        }
        return term(
            of: content, identifier: row.lend(layout.identifier) ?? UnsafeRawBufferPointer(start: nil, count: 0))
    }
}

/// The digested bytes of a row: its columns in order, each with type and length, so that different rows have different
/// bytes.
package struct RowContent {
    private enum Tag: UInt8 {
        case null = 0
        case integer = 1
        case blob = 2
    }

    /// The initial size, which is enough for most rows; the array grows for others.
    ///
    /// The C library keeps freed blocks of up to 1032 bytes at hand. For a larger one it goes through its lists, and
    /// joins what lies free in them.
    private static let usualByteCount = 768
    /// The size of an integer, or of a blob's length.
    private static let wordByteCount = MemoryLayout<UInt64>.size

    /// The buffer, allocated at once, so that each column is one copy; bytes beyond ``count`` mean nothing.
    private var bytes = [UInt8](repeating: 0, count: usualByteCount)
    private var count = 0

    package init() {}

    mutating func removeAll() { count = 0 }

    package mutating func appendNull() {
        reserve(1)
        bytes[count] = Tag.null.rawValue
        count += 1
    }

    package mutating func append(_ number: Int64) { append(.integer, UInt64(bitPattern: number), nil) }

    package mutating func append(_ blob: UnsafeRawBufferPointer) { append(.blob, UInt64(blob.count), blob) }

    package mutating func append(_ blob: [UInt8]) { blob.withUnsafeBytes { append($0) } }

    package mutating func append(_ value: RowValue) {
        switch value {
        case .null: appendNull()
        case .integer(let number): append(number)
        case .blob(let bytes): append(bytes)
        }
    }

    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        bytes.withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
    }

    private mutating func append(_ tag: Tag, _ word: UInt64, _ blob: UnsafeRawBufferPointer?) {
        let start = count + 1 + Self.wordByteCount
        let end = start + (blob?.count ?? 0)
        reserve(end - count)
        bytes.withUnsafeMutableBytes { bytes in
            bytes[count] = tag.rawValue
            bytes.storeBytes(of: word.littleEndian, toByteOffset: count + 1, as: UInt64.self)
            if let blob { UnsafeMutableRawBufferPointer(rebasing: bytes[start..<end]).copyMemory(from: blob) }
        }
        count = end
    }

    private mutating func reserve(_ more: Int) {
        guard count + more > bytes.count else { return }
        bytes += [UInt8](repeating: 0, count: max(bytes.count, count + more - bytes.count))
    }
}
