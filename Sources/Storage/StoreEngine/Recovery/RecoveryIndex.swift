import ChatelaineModel

/// The pages of a damaged file that may have rows with a value, so that a look-up during a recovery reads only those.
///
/// A pass that is needed anyway makes the index, which stays in memory while rows are taken over. Each digest or
/// identifier leads to the page of its row. The index compares 32 bits of a value, so that few pages are read in vain;
/// the look-up compares whole values in the page. The digest of the access group, which nearly all rows share, is not
/// in the index.
///
/// A row usually takes six entries of eight bytes, since values that rows of one page share count once. The table of
/// chains takes another 64 to 128 bytes for each page, at most 128 MiB. So a million items take 60 to 80 MiB.
struct RecoveryIndex: Sendable {
    /// The most entries: 128 MiB or some three million items.
    ///
    /// Beyond them look-ups go through the remaining pages.
    static let maximumEntries = 16 * 1024 * 1024 - 1
    private static let maximumChains = 16 * 1024 * 1024
    private static let chainsPerPage = 8
    /// The bytes of a value that are used; values are digests or random, so that any of their bits will do.
    private static let bytesUsed = MemoryLayout<UInt32>.size

    private struct Entry {
        /// The place of the page.
        let page: UInt32
        private let tagAndNext: UInt32

        init(page: UInt32, tag: UInt32, next: UInt32) {
            self.page = page
            tagAndNext = tag << 24 | next
        }

        /// Eight bits of the value, which tell apart values of one chain.
        var tag: UInt32 { tagAndNext >> 24 }
        /// One more than the place of the chain's next entry; 0 at its end.
        var next: UInt32 { tagAndNext & 0xFF_FFFF }
    }

    private struct Chain {
        /// One more than the place of the chain's newest entry; 0 for an empty chain.
        var newest: UInt32 = 0
        /// The newest entry's page, kept here to save a cache miss for each value of each row.
        var page: UInt32 = 0
    }

    /// The number of pages in the file.
    let pageCount: UInt32
    private let limit: Int
    private let mask: UInt32
    private var chains: [Chain]
    private var entries: [Entry] = []
    /// Whether the index has all rows of its pages.
    private(set) var isComplete = true

    /// Makes an empty index.
    ///
    /// - Parameter pages: the number of pages in the file.
    init(pages: UInt32, limit: Int = maximumEntries) {
        pageCount = pages
        self.limit = min(limit, Self.maximumEntries)
        var count = 1024
        while count < Self.maximumChains, count < Int(pages) * Self.chainsPerPage { count *= 2 }
        mask = UInt32(count - 1)
        chains = [Chain](repeating: Chain(), count: count)
    }

    /// Adds a row; rows come page by page.
    ///
    /// - Parameter page: the place of the row's page.
    mutating func insert(_ row: RawRow, page: UInt32) {
        for place in row.layout.keysOfFew where !row.isNull(place) { insert(row.lend(place), page) }
    }

    private mutating func insert(_ value: UnsafeRawBufferPointer?, _ page: UInt32) {
        guard isComplete, let value, value.count >= Self.bytesUsed else { return }
        let bits = value.loadUnaligned(as: UInt32.self)
        let chain = Int(bits & mask)
        let tag = Self.tag(of: bits)
        let newest = chains[chain]
        if newest.page == page, newest.newest > 0, has(tag, page, from: newest.newest) { return }
        guard entries.count < limit else { return giveUp() }
        entries.append(Entry(page: page, tag: tag, next: newest.newest))
        chains[chain] = Chain(newest: UInt32(entries.count), page: page)
    }

    /// The bits of a value that the number of its chain does not contain, whatever the number of chains.
    private static func tag(of bits: UInt32) -> UInt32 { bits >> 24 }

    /// Whether the beginning of a chain has an entry of the same page and tag.
    private func has(_ tag: UInt32, _ page: UInt32, from first: UInt32) -> Bool {
        var next = first
        while next > 0, entries[Int(next) - 1].page == page {
            if entries[Int(next) - 1].tag == tag { return true }
            next = entries[Int(next) - 1].next
        }
        return false
    }

    /// Empties an index that lacks rows, so that look-ups read all pages.
    mutating func giveUp() { (isComplete, chains, entries) = (false, [], []) }

    /// The places of pages that may have one of the values, ascending; nil for more than `maximum`, or an incomplete
    /// index.
    func pages(of wanted: DamagedDatabase.Wanted, from first: UInt32, maximum: Int) -> [UInt32]? {
        guard isComplete else { return nil }
        var pages: [UInt32] = []
        for value in wanted.values {
            guard insert(pagesOf: value, from: first, maximum: maximum, into: &pages) else { return nil }
        }
        for value in wanted.identifiers {
            guard insert(pagesOf: value, from: first, maximum: maximum, into: &pages) else { return nil }
        }
        return pages.count < 2 ? pages : Self.distinct(pages)
    }

    /// Adds the pages of a value; answers false where there are too many.
    private func insert(
        pagesOf value: [UInt8], from first: UInt32, maximum: Int, into pages: inout [UInt32]
    ) -> Bool {
        guard value.count >= Self.bytesUsed else { return false }
        let bits = value.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
        let tag = Self.tag(of: bits)
        var next = chains[Int(bits & mask)].newest
        // The pages of a chain descend.
        while next > 0 {
            let entry = entries[Int(next) - 1]
            guard entry.page >= first else { break }
            next = entry.next
            guard entry.tag == tag, pages.last != entry.page else { continue }
            pages.append(entry.page)
            guard pages.count > maximum else { continue }
            pages = Self.distinct(pages)
            guard pages.count <= maximum else { return false }
        }
        return true
    }

    private static func distinct(_ pages: [UInt32]) -> [UInt32] { Set(pages).sorted() }
}

extension DamagedDatabase {
    /// Makes the index of the rows from one page on, in a pass of its own.
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
        // The disk may later yield a page that it did not yield now.
        if pagesRead < pageCount + 1 - min(max(first, 1), pageCount + 1) { index.giveUp() }
        return index
    }
}
