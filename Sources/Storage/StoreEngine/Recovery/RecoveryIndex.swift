import ChatelaineModel

/// Which pages of a damaged file may have rows with a value, so that a look-up during a recovery reads those alone.
///
/// It is kept in memory while rows are taken over, and made in a pass that is needed anyway. Each digest or identifier of a
/// row leads to the page of that row. Values are told apart by a few of their bits; whoever looks compares them as a whole in the
/// page. The digest of the access group, which nearly all rows share, is not in it.
///
/// A row takes six entries of eight bytes as a rule, since values that rows of one page share count once; the table of
/// chains takes another 64 to 128 bytes for each page, at most 128 MiB. So a million items take 60 to 80 MiB.
struct RecoveryIndex: Sendable {
    /// Beyond these, 128 MiB or some three million items, there is none, and a look-up goes through the pages that are left.
    static let maximumEntries = 16 * 1024 * 1024
    private static let maximumChains = 16 * 1024 * 1024
    private static let chainsPerPage = 8
    /// Values are digests or random, so that any of their bits will do.
    private static let bytesUsed = MemoryLayout<UInt32>.size

    private struct Entry {
        /// By its place.
        var page: UInt32
        /// One more than the place of the next entry of the chain; 0 at its end.
        var next: UInt32
    }

    private struct Chain {
        /// One more than the place of its newest entry; 0 for an empty one.
        var newest: UInt32 = 0
        /// That entry's page: to look there would be another miss of the cache for each value of each row.
        var page: UInt32 = 0
    }

    /// Of the file that it is of.
    let pageCount: UInt32
    private let limit: Int
    private let mask: UInt32
    private var chains: [Chain]
    private var entries: [Entry] = []
    /// Whether it has all rows that it was to have.
    private(set) var isComplete = true

    /// - Parameter pages: how many pages the file has.
    init(pages: UInt32, limit: Int = maximumEntries) {
        pageCount = pages
        self.limit = limit
        var count = 1024
        while count < Self.maximumChains, count < Int(pages) * Self.chainsPerPage { count *= 2 }
        mask = UInt32(count - 1)
        chains = [Chain](repeating: Chain(), count: count)
    }

    /// - Parameter page: the place of the row's page. Rows come page by page.
    mutating func insert(_ row: RawRow, page: UInt32) {
        for place in row.layout.keysOfFew where !row.isNull(place) { insert(row.lend(place), page) }
    }

    private mutating func insert(_ value: UnsafeRawBufferPointer?, _ page: UInt32) {
        guard isComplete, let value, value.count >= Self.bytesUsed else { return }
        let chain = Int(value.loadUnaligned(as: UInt32.self) & mask)
        let newest = chains[chain]
        if newest.newest > 0, newest.page == page { return }
        guard entries.count < limit else { return giveUp() }
        entries.append(Entry(page: page, next: newest.newest))
        chains[chain] = Chain(newest: UInt32(entries.count), page: page)
    }

    /// Leaves look-ups to passes: it has not all rows.
    mutating func giveUp() { (isComplete, chains, entries) = (false, [], []) }

    /// The places of pages that may have one of the values, ascending; nil where there are more than `maximum` of them, or where
    /// it does not know.
    func pages(of wanted: DamagedDatabase.Wanted, from first: UInt32, maximum: Int) -> [UInt32]? {
        guard isComplete else { return nil }
        var pages: Set<UInt32> = []
        for values in [AnySequence(wanted.values), AnySequence(wanted.identifiers)] {
            for value in values {
                guard value.count >= Self.bytesUsed else { return nil }
                let start = value.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
                var next = chains[Int(start & mask)].newest
                // The pages of a chain descend.
                while next > 0, entries[Int(next) - 1].page >= first {
                    pages.insert(entries[Int(next) - 1].page)
                    guard pages.count <= maximum else { return nil }
                    next = entries[Int(next) - 1].next
                }
            }
        }
        return pages.sorted()
    }
}

extension DamagedDatabase {
    /// The index of the rows from one page on, in a pass of its own.
    func index(from first: UInt32, limit: Int = RecoveryIndex.maximumEntries) -> RecoveryIndex {
        var index = RecoveryIndex(pages: pageCount, limit: limit)
        var pagesRead: UInt32 = 0
        forEachPage(in: first..<max(first, pageCount + 1)) { number, bytes in
            pagesRead += 1
            guard let page = RawPage(bytes, number: number) else { return true }
            let place = place(of: number)
            page.forEachCell { cell in
                guard let cell, let row = RawRow(cell.local, layout) else { return }
                index.insert(row, page: place)
            }
            return index.isComplete
        }
        // A page that the disk did not give now it may give later.
        if pagesRead < pageCount + 1 - min(max(first, 1), pageCount + 1) { index.giveUp() }
        return index
    }
}
