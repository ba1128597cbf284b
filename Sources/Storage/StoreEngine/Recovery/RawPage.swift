/// A page of SQLite's trees, read without SQLite (sqlite.org/fileformat2.html, section 1.6).
struct RawPage {
    enum Kind: UInt8 {
        case indexInterior = 0x02
        case tableInterior = 0x05
        case indexLeaf = 0x0A
        case tableLeaf = 0x0D
    }

    /// The position of a cell in its file; cells ascend in the order in which they are read.
    typealias CellPosition = UInt64

    /// A cell of a leaf of a table.
    struct Cell {
        let position: CellPosition
        let row: Int64
        let payloadBytes: Int
        /// The beginning of the payload, in the page; valid as long as the page.
        let local: UnsafeRawBufferPointer
        /// The first overflow page, or 0.
        let overflow: UInt32

        /// The cell's place among the cells of its page.
        var index: Int { Int(position & ((1 << RawPage.cellBits) - 1)) }

        /// Whether the payload continues on overflow pages.
        var goesOn: Bool { local.count < payloadBytes }
    }

    /// The smallest page of the format; the sizes below need at least as many bytes.
    static let minimumBytes = 512
    /// The bits of a cell's index: a cell takes at least two bytes of a page.
    static let cellBits = 16
    /// How often the bytes of a page count, each cell or record with its own.
    ///
    /// No two cells of a sound page share a byte. Those of a crafted one can all be the same few kilobytes, two
    /// thousand times over. A damaged cell may claim a whole page. Some two dozen rows fit into one, and where half of
    /// them are garbled, the others are still read.
    static let readings = 16

    let kind: Kind
    private let number: UInt32
    private let bytes: UnsafeRawBufferPointer
    private let headerOffset: Int
    private let cellCount: Int

    /// Reads the header of a page; nil for a page of no tree, or impossible values.
    init?(_ bytes: UnsafeRawBufferPointer, number: UInt32) {
        headerOffset = number == 1 ? 100 : 0
        guard bytes.count >= Self.minimumBytes, let kind = Kind(rawValue: bytes[headerOffset]) else { return nil }
        self.kind = kind
        self.number = number
        self.bytes = bytes
        cellCount = Int(bytes[headerOffset + 3]) << 8 | Int(bytes[headerOffset + 4])
        guard pointers + 2 * cellCount <= bytes.count else { return nil }
    }

    private var pointers: Int { headerOffset + (kind == .tableInterior || kind == .indexInterior ? 12 : 8) }

    private func start(of cell: Int) -> Int? {
        let pointer = pointers + 2 * cell
        let start = Int(bytes[pointer]) << 8 | Int(bytes[pointer + 1])
        return start >= pointers + 2 * cellCount && start < bytes.count ? start : nil
    }

    /// Passes the cells of a table's leaf to `body`; nil stands for an impossible cell, or one beyond ``readings``.
    func forEachCell(_ body: (Cell?) -> Void) {
        guard kind == .tableLeaf else { return }
        var bytesLeft = Self.readings * bytes.count
        for index in 0..<cellCount {
            let cell = bytesLeft > 0 ? cell(index) : nil
            bytesLeft -= cell?.local.count ?? 0
            body(cell)
        }
    }

    private func cell(_ index: Int) -> Cell? {
        guard let start = start(of: index), let (length, lengthBytes) = RawRecord.varint(bytes, start),
            let (row, rowBytes) = RawRecord.varint(bytes, start + lengthBytes),
            length <= UInt64(DamagedDatabase.maximumRowBytes)
        else { return nil }
        let begin = start + lengthBytes + rowBytes
        let local = Self.localBytes(of: Int(length), pageSize: bytes.count)
        let isSpilled = local < Int(length)
        guard begin + local + (isSpilled ? 4 : 0) <= bytes.count else { return nil }
        let overflow =
            isSpilled ? bytes[(begin + local)..<(begin + local + 4)].reduce(0) { $0 << 8 | UInt32($1) } : 0
        return Cell(
            position: CellPosition(number) << Self.cellBits | CellPosition(index), row: Int64(bitPattern: row),
            payloadBytes: Int(length),
            local: UnsafeRawBufferPointer(rebasing: bytes[begin..<(begin + local)]), overflow: overflow)
    }

    var isIndex: Bool { kind == .indexLeaf || kind == .indexInterior }

    /// Passes the records of an index's page to `body`; nil stands for a record that is not whole, or of no index of
    /// rows, or beyond ``readings``.
    func forEachIndexEntry(_ body: (IndexEntry?) -> Void) {
        guard isIndex else { return }
        var bytesLeft = Self.readings * bytes.count
        for index in 0..<cellCount {
            let payload = bytesLeft > 0 ? payloadOfIndex(index) : nil
            bytesLeft -= payload?.count ?? 0
            body(payload.flatMap { IndexEntry($0) })
        }
    }

    /// The first record, which tells the pages of one index from those of another.
    var firstIndexEntry: IndexEntry? {
        isIndex && cellCount > 0 ? payloadOfIndex(0).flatMap { IndexEntry($0) } : nil
    }

    private func payloadOfIndex(_ index: Int) -> UnsafeRawBufferPointer? {
        guard var start = start(of: index) else { return nil }
        if kind == .indexInterior { start += 4 }
        guard let (length, lengthBytes) = RawRecord.varint(bytes, start), length <= UInt64(bytes.count),
            start + lengthBytes + Int(length) <= bytes.count
        else { return nil }
        return UnsafeRawBufferPointer(rebasing: bytes[(start + lengthBytes)..<(start + lengthBytes + Int(length))])
    }

    /// The children of an interior page; nil for a leaf, and where a child's number is unreadable.
    var children: [UInt32]? {
        guard kind == .tableInterior || kind == .indexInterior else { return nil }
        var children: [UInt32] = []
        for index in 0..<cellCount {
            guard let start = start(of: index), start + 4 <= bytes.count else { return nil }
            children.append(childNumber(start))
        }
        children.append(childNumber(headerOffset + 8))
        return children
    }

    private func childNumber(_ offset: Int) -> UInt32 { bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) } }

    /// The bytes of a payload that stay in a table's leaf.
    static func localBytes(of payload: Int, pageSize: Int) -> Int {
        let largest = pageSize - 35
        guard payload > largest else { return payload }
        let smallest = (pageSize - 12) * 32 / 255 - 23
        let kept = smallest + (payload - smallest) % (pageSize - 4)
        return kept <= largest ? kept : smallest
    }
}
