/// The overflow pages of a damaged database, and the cells that may follow them.
///
/// A row that does not fit into its page goes on in a chain of overflow pages. No two cells of a sound file share a
/// page of a chain. In a crafted file all cells can name the same long chain, and a reader that followed it for each
/// would take hours. So an overflow page is followed for a few cells only: the first ones in the order of the file.
/// Several are let through, because the first claim may be the wrong one. The seals decide which cell has the row.
///
/// The choice depends on the file alone, and not on what was read before. So a look-up finds the rows that the recovery
/// takes over, whichever of them comes first.
struct ChainClaims: Sendable {
    /// The most cells for which one overflow page is followed.
    ///
    /// One cell has the row. A flipped pointer adds one, and so does an old image of a page whose rows have moved to
    /// another page since. That leaves room for several of either, and a pass follows at most eight times as many
    /// pages as the file has.
    static let cellsPerPage = 8

    /// The cells that claimed each page so far; empty once all cells have been counted.
    private var counts: [UInt32: Int] = [:]
    /// The last cell that may follow a page, where as many as possible do.
    private var last: [UInt32: RawPage.CellPosition] = [:]

    /// Counts a claim; answers whether the cell may follow the page.
    ///
    /// Cells come in the order of the file.
    mutating func claim(_ page: UInt32, for cell: RawPage.CellPosition) -> Bool {
        guard admits(page, for: cell) else { return false }
        counts[page, default: 0] += 1
        if counts[page] == Self.cellsPerPage { last[page] = cell }
        return true
    }

    /// Whether a cell may follow a page, once all cells before it have been counted.
    func admits(_ page: UInt32, for cell: RawPage.CellPosition) -> Bool { last[page].map { cell <= $0 } ?? true }

    /// Forgets what only counting needs.
    mutating func endCounting() { counts = [:] }
}

extension DamagedDatabase {
    /// Which cells may follow which overflow pages; the first call makes a pass through the file, unless a survey did.
    var chainClaims: ChainClaims {
        claims.withLock { claims in
            if let claims { return claims }
            let counted = countClaims()
            claims = counted
            return counted
        }
    }

    /// Takes the claims that an earlier reader of the same file has counted.
    func adopt(_ counted: ChainClaims?) {
        claims.withLock { claims in if claims == nil { claims = counted } }
    }

    private func countClaims() -> ChainClaims {
        var claims = ChainClaims()
        forEachPage(in: 1..<pageCount + 1) { number, bytes in
            RawPage(bytes, number: number)?.forEachCell { cell in
                guard let cell, cell.goesOn, RawRow(cell.local, layout) != nil else { return }
                _ = isWhole(cell, counting: &claims)
            }
            return true
        }
        claims.endCounting()
        return claims
    }

    /// The whole payload of a cell, with its overflow pages; nil where they do not fit together.
    func payload(_ cell: RawPage.Cell) -> [UInt8]? {
        guard cell.goesOn else { return [UInt8](cell.local) }
        let claims = chainClaims
        var payload = [UInt8](cell.local)
        let isWhole = followChain(of: cell, admitting: { claims.admits($0, for: cell.position) }) { page in
            payload += page[4..<min(pageSize, 4 + cell.payloadBytes - payload.count)]
        }
        return isWhole ? payload : nil
    }

    /// Whether the overflow pages of a cell exist, and may be followed for it.
    func isWhole(_ cell: RawPage.Cell) -> Bool {
        guard cell.goesOn else { return true }
        let claims = chainClaims
        return followChain(of: cell, admitting: { claims.admits($0, for: cell.position) }) { _ in }
    }

    /// The same in a pass through all cells, which counts the claims.
    func isWhole(_ cell: RawPage.Cell, counting claims: inout ChainClaims) -> Bool {
        followChain(of: cell, admitting: { claims.claim($0, for: cell.position) }) { _ in }
    }

    /// Passes the overflow pages of a cell to `body`; answers whether they hold its whole payload.
    private func followChain(
        of cell: RawPage.Cell, admitting: (UInt32) -> Bool, _ body: ([UInt8]) -> Void
    ) -> Bool {
        guard cell.payloadBytes <= min(Self.maximumRowBytes, Int(pageCount) * pageSize) else { return false }
        var found = cell.local.count
        var next = cell.overflow
        // A circle would fill any size. It comes back to a page that was kept after 1, 2, 4, 8 … pages.
        var (kept, followed, keptNext): (UInt32, Int, Int) = (0, 0, 1)
        while found < cell.payloadBytes {
            guard next != 0, next != kept, admitting(next), let page = page(next) else { return false }
            chainPagesRead.add(1, ordering: .relaxed)
            followed += 1
            if followed == keptNext { (kept, keptNext) = (next, 2 * keptNext) }
            body(page)
            found += pageSize - 4
            next = page[0..<4].reduce(0) { $0 << 8 | UInt32($1) }
        }
        return true
    }
}
