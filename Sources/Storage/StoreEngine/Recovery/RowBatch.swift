import ChatelaineModel

/// Rows of a damaged database that are handed on together, bounded by count and by bytes.
struct RowBatch {
    /// The most rows; one transaction takes them over, while others wait.
    static let maximumRows = 256
    /// The most bytes, unless a single row has more: copies of all rows are in memory at once.
    ///
    /// One row may have twenty megabytes, and rows of a crafted file can share these bytes.
    static let maximumBytes = 4 * 1024 * 1024

    private(set) var rows: [WholeRow] = []
    private var bytesLeft = maximumBytes
    let maximumRows: Int

    init(maximumRows: Int = maximumRows) { self.maximumRows = maximumRows }

    /// Whether a row of so many bytes still belongs to the batch; an empty batch takes any row.
    func hasRoom(for bytes: Int) -> Bool { rows.isEmpty || rows.count < maximumRows && bytes <= bytesLeft }

    mutating func append(_ row: WholeRow, bytes: Int) {
        rows.append(row)
        bytesLeft -= bytes
    }
}

/// The place of a cell among all pages, from which reading goes on.
struct CellPlace: Equatable, Sendable {
    /// The place of the page.
    var page: UInt32
    var cell = 0
}

extension DamagedDatabase {
    /// Adds all or the wanted rows of some pages to a batch, as long as it has room; answers where to go on.
    func fill(
        _ batch: inout RowBatch, from start: CellPlace, before end: UInt32, wanted: Wanted? = nil
    ) -> CellPlace {
        var stop: CellPlace?
        forEachPage(in: start.page..<max(start.page, end)) { number, bytes in
            guard let page = RawPage(bytes, number: number) else { return true }
            let place = place(of: number)
            page.forEachCell { cell in
                guard stop == nil, let cell, place > start.page || cell.index >= start.cell,
                    isRow(cell.local, wanted)
                else { return }
                guard batch.hasRoom(for: cell.payloadBytes) else {
                    return stop = CellPlace(page: place, cell: cell.index)
                }
                if let row = wholeRow(cell) { batch.append(row, bytes: cell.payloadBytes) }
            }
            return stop == nil
        }
        return stop ?? CellPlace(page: max(start.page, end))
    }

    /// Passes all or the wanted rows of ranges of places to `body`, batch by batch, until it answers false.
    func forEachBatch<Failure: Error>(
        in ranges: [Range<UInt32>], wanted: Wanted? = nil, _ body: ([WholeRow]) throws(Failure) -> Bool
    ) throws(Failure) {
        var batch = RowBatch()
        for range in ranges {
            var place = CellPlace(page: range.lowerBound)
            while place.page < range.upperBound {
                place = fill(&batch, from: place, before: range.upperBound, wanted: wanted)
                guard place.page < range.upperBound else { break }
                guard try body(batch.rows) else { return }
                batch = RowBatch()
            }
        }
        if !batch.rows.isEmpty { _ = try body(batch.rows) }
    }

    /// A row with all its columns; nil where a part of it is unreadable.
    func wholeRow(_ cell: RawPage.Cell) -> WholeRow? {
        func row(_ bytes: UnsafeRawBufferPointer) -> WholeRow? {
            RawRow(bytes, layout).flatMap { WholeRow($0, row: cell.row) }
        }
        guard cell.goesOn else { return row(cell.local) }
        return payload(cell).flatMap { payload in payload.withUnsafeBytes { row($0) } }
    }

    /// The identifiers that more than one wanted row in some pages has.
    func repeatedIdentifiers(in ranges: [Range<UInt32>], _ wanted: Wanted) -> Set<[UInt8]> {
        var seen: Set<Bytes16> = []
        var repeated: Set<[UInt8]> = []
        for range in ranges {
            forEachPage(in: range) { number, bytes in
                RawPage(bytes, number: number)?.forEachCell { cell in
                    guard let cell, isRow(cell.local, wanted),
                        let identifier = RawRow(cell.local, layout)?.identifier
                    else { return }
                    if !seen.insert(identifier).inserted { repeated.insert(identifier.array) }
                }
                return true
            }
        }
        return repeated
    }
}
