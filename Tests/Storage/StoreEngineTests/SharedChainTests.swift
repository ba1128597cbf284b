import ChatelaineModel
import Testing

@testable import StoreEngine

/// Cells that share pages cost a reader of a damaged database a small multiple of the file, and no honest row.
///
/// Every limit is on counted work: pages that are followed, bytes of cells, pages of trees.
@Suite struct SharedChainTests {
    /// Notes, of which one fills a hundred overflow pages and only the least possible part of its own page.
    private struct Crafted {
        static let long = 3
        static let chainPages = 100
        let notes: NoteStore
        let identifier: [UInt8]
        var pages: [[UInt8]]
        /// The place of the page with the long note's cell, in `pages`.
        let home: Int
        let local: [UInt8]
        let overflow: UInt32
        let payloadBytes: Int
        let length: Int

        init() throws {
            notes = try NoteStore()
            try notes.write(0..<6, to: notes.open())
            let smallest = RawPage.localBytes(of: 4093, pageSize: CraftedPages.size)
            // The record's header, the columns before the body and its digest take some 120 bytes.
            length = smallest + Self.chainPages * (CraftedPages.size - 4) - 120
            identifier = try notes.lengthen(Self.long, to: length)
            pages = try notes.readPages()
            var found: (home: Int, local: [UInt8], overflow: UInt32, payloadBytes: Int)?
            for (place, page) in pages.enumerated() {
                page.withUnsafeBytes { bytes in
                    RawPage(bytes, number: UInt32(place + 1))?.forEachCell { cell in
                        guard let cell, cell.goesOn else { return }
                        found = (place, [UInt8](cell.local), cell.overflow, cell.payloadBytes)
                    }
                }
            }
            (home, local, overflow, payloadBytes) = try #require(found)
        }

        /// A cell that claims the long note's chain under a random identifier.
        func bogus(_ row: Int, overflow: UInt32? = nil) throws -> [UInt8] {
            let start = try #require(local.indices.first { local[$0...].starts(with: identifier) })
            var other = local
            other.replaceSubrange(start..<start + 16, with: ItemIdentifier().bytes)
            return CraftedPages.cell(
                row: row, payloadBytes: payloadBytes, local: other, overflow: overflow ?? self.overflow)
        }

        func bogusPage(_ cells: Int, overflow: UInt32? = nil) throws -> [UInt8] {
            CraftedPages.page(.tableLeaf, try (0..<cells).map { try bogus(100 + $0, overflow: overflow) })
        }
    }

    private static func text(_ number: Int, _ count: Int) -> String {
        String(repeating: String(UnicodeScalar(UInt8(97 + number % 26))), count: count)
    }

    private func rows(_ damaged: DamagedDatabase) -> [WholeRow] {
        var rows: [WholeRow] = []
        damaged.forEachBatch(in: [1..<damaged.pageCount + 1]) {
            rows += $0
            return true
        }
        return rows
    }

    @Test func aChainIsFollowedForFewCells() throws {
        let crafted = try Crafted()
        let pages = try crafted.pages + (0..<40).map { _ in try crafted.bogusPage(7) }
        try crafted.notes.writePages(pages)
        let damaged = try crafted.notes.damagedDatabase()
        let limit = ChainClaims.cellsPerPage * Crafted.chainPages
        let survey = damaged.survey()
        #expect(survey.rows == 6 + 40 * 7)
        #expect(survey.brokenRows == 40 * 7 - (ChainClaims.cellsPerPage - 1))
        #expect(damaged.chainPagesRead.load(ordering: .relaxed) <= limit)
        // A pass that hands rows on follows no more.
        let found = rows(damaged)
        #expect(damaged.chainPagesRead.load(ordering: .relaxed) <= 2 * limit)
        #expect(found.contains { $0.identifier == crafted.identifier })
        #expect(found.count == survey.rows - survey.brokenRows)
        _ = damaged.rowsInTable()
        #expect(damaged.chainPagesRead.load(ordering: .relaxed) <= 3 * limit)
    }

    @Test func claimsThatComeFirstCostTheRowNothing() throws {
        var crafted = try Crafted()
        crafted.pages.append(crafted.pages[crafted.home])
        crafted.pages[crafted.home] = try crafted.bogusPage(ChainClaims.cellsPerPage - 1)
        try crafted.notes.writePages(crafted.pages)
        let store = try crafted.notes.open(isDamaged: true)
        let text = Self.text(Crafted.long, crafted.length)
        #expect(try crafted.notes.text(of: Crafted.long, in: store) == text)
        while try store.continueRecovery() {}
        #expect(try crafted.notes.count(in: store) == 6)
        #expect(try crafted.notes.text(of: Crafted.long, in: store) == text)
        let losses = try store.losses()
        #expect(losses.allSatisfy { $0.lost == 0 && $0.setAside == ChainClaims.cellsPerPage - 1 })
    }

    /// Look-ups read single pages, in any order; a recovery reads all pages in theirs.
    @Test func theOrderOfReadingMakesNoDifference() throws {
        let crafted = try Crafted()
        try crafted.notes.writePages(crafted.pages + (0..<5).map { _ in try crafted.bogusPage(5) })
        let inOrder = rows(try crafted.notes.damagedDatabase()).map(\.identifier)
        let damaged = try crafted.notes.damagedDatabase()
        var reversed: [[UInt8]] = []
        for page in (1..<damaged.pageCount + 1).reversed() {
            damaged.forEachBatch(in: [page..<page + 1]) {
                reversed += $0.map(\.identifier)
                return true
            }
        }
        #expect(Set(inOrder) == Set(reversed) && inOrder.count == reversed.count)
        #expect(inOrder.count == 6 + ChainClaims.cellsPerPage - 1)
    }

    @Test func aCircleIsNoChain() throws {
        let crafted = try Crafted()
        let next = UInt32(crafted.pages.count + 1)
        var circle = (0..<3).map { _ in [UInt8](repeating: 7, count: CraftedPages.size) }
        for place in circle.indices {
            circle[place].replaceSubrange(0..<4, with: CraftedPages.number(next + UInt32((place + 1) % 3)))
        }
        try crafted.notes.writePages(crafted.pages + circle + [crafted.bogusPage(7, overflow: next)])
        let damaged = try crafted.notes.damagedDatabase()
        #expect(damaged.survey().brokenRows == 7)
        #expect(damaged.chainPagesRead.load(ordering: .relaxed) <= Crafted.chainPages + 3 * ChainClaims.cellsPerPage)
    }

    @Test func cellsOfOnePageCannotAllBeTheSame() throws {
        let crafted = try Crafted()
        let page = CraftedPages.page(.tableLeaf, [try crafted.bogus(100)], pointers: 1500)
        var (cells, bytes, refused) = (0, 0, 0)
        page.withUnsafeBytes { page in
            RawPage(page, number: 2)?.forEachCell { cell in
                if let cell { (cells, bytes) = (cells + 1, bytes + cell.local.count) } else { refused += 1 }
            }
        }
        #expect(cells + refused == 1500)
        #expect(bytes <= (RawPage.readings + 1) * CraftedPages.size)
        #expect(bytes > (RawPage.readings - 1) * CraftedPages.size)
    }

    @Test func rootsThatShareTheirPagesCostFewPasses() throws {
        let crafted = try Crafted()
        func record(_ row: UInt8) -> [UInt8] { [20, 3, 44, 1] + ItemIdentifier().bytes + [row] }
        let first = UInt32(crafted.pages.count + 1)
        var pages = crafted.pages
        // A tree of a hundred pages, one below the other, and a hundred roots above the first of them.
        for level in 0..<UInt32(99) {
            let cell = CraftedPages.number(first + 99) + record(1)
            pages.append(CraftedPages.page(.indexInterior, [cell], last: first + level + 1))
        }
        pages.append(CraftedPages.page(.indexLeaf, [record(2)]))
        for _ in 0..<100 {
            pages.append(CraftedPages.page(.indexInterior, [CraftedPages.number(first) + record(3)], last: first))
        }
        try crafted.notes.writePages(pages)
        let forest = IndexForest(of: try crafted.notes.damagedDatabase(), shapes: [.short])
        #expect(forest.trees.reduce(0) { $0 + $1.pages.count } <= ChainClaims.cellsPerPage * pages.count)
        #expect(forest.trees.contains { !$0.isWhole })
    }
}
