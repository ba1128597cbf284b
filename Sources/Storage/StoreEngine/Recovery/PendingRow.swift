import ChatelaineModel

/// A row in a damaged file that is not taken over yet, as a search reads it there.
package struct PendingRow: Sendable {
    package let content: WholeRow
    /// The place of the row's page.
    let page: UInt32
    /// A number for the row as long as it is pending; it is negative, as SQLite's row ids in a store never are.
    package let number: Int64

    init(_ content: WholeRow, page: UInt32, cell: Int) {
        self.content = content
        self.page = page
        number = -1 - (Int64(page) << RawPage.cellBits | Int64(cell))
    }

    /// The values that no two rows share: the identifier and, where the table has one, the unique digest.
    var names: [[UInt8]] { [content.identifier] + (content.unique.map { [$0] } ?? []) }
}

extension DamagedDatabase {
    /// The rows with one of some values on single pages, in the order in which they are taken over.
    ///
    /// Nil where a page, a cell or a part of a row is unreadable, or a row has a later version. Nil, too, where rows
    /// have more than `maximumBytes` in all, or two rows of a page share a name. The takeover of rows handles these
    /// cases.
    func pendingRows(on places: [UInt32], _ wanted: Wanted, maximumBytes: Int) -> [PendingRow]? {
        var rows: [PendingRow] = []
        var bytesLeft = maximumBytes
        var isUsable = true
        let namePlaces = [layout.identifier] + (layout.unique.map { [$0] } ?? [])
        let isReadable = forEachLeaf(on: places) { place, page in
            let first = rows.count
            var names: [UnsafeRawBufferPointer] = []
            page.forEachCell { cell in
                guard let cell else { return isUsable = false }
                guard isUsable, let raw = RawRow(cell.local, layout) else { return }
                for column in namePlaces { if let name = raw.lend(column) { names.append(name) } }
                guard wanted.isMet(by: raw) else { return }
                bytesLeft -= min(cell.payloadBytes, bytesLeft + 1)
                guard bytesLeft >= 0, let row = wholeRow(cell), !row.hasUnknownColumns else { return isUsable = false }
                rows.append(PendingRow(row, page: place, cell: cell.index))
            }
            for row in rows[first...] {
                for name in row.names where names.count(where: { Wanted.isSame(name, $0) }) != 1 { isUsable = false }
            }
        }
        return isReadable && isUsable ? rows : nil
    }

    /// The identifiers of the rows with one of some values on single pages, as far as the pages are readable.
    func identifiers(on places: [UInt32], _ wanted: Wanted) -> [[UInt8]] {
        var identifiers: [[UInt8]] = []
        forEachLeaf(on: places) { _, page in
            page.forEachCell { cell in
                guard let cell, isRow(cell.local, wanted) else { return }
                if let identifier = RawRow(cell.local, layout)?.identifier { identifiers.append(identifier.array) }
            }
        }
        return identifiers
    }

    /// Passes the pages at some places to `body`; answers whether all are readable pages of a tree.
    @discardableResult
    private func forEachLeaf(on places: [UInt32], _ body: (_ place: UInt32, RawPage) -> Void) -> Bool {
        var pagesLeft = places.count
        for place in places {
            forEachPage(in: place..<place + 1) { number, bytes in
                guard let page = RawPage(bytes, number: number) else { return true }
                pagesLeft -= 1
                body(place, page)
                return true
            }
        }
        return pagesLeft == 0
    }
}
