import ChatelaineModel
import Glibc
import Sealing

/// A database that SQLite does not read any more, read page by page: what is whole of it can be had all the same.
///
/// It needs neither header nor tree: every page of the file that looks like a leaf of a table is searched for rows,
/// with the pages of the log over those of the file. A row counts once its seals open. Deleted rows are not there: the
/// store has SQLite overwrite them. Nothing is written. Only for files that no connection of this process has open,
/// since closing one drops SQLite's locks.
final class DamagedDatabase: Sendable {
    static let defaultPageSize = 4096
    /// The largest row: secret, attributes, who may use it, and the columns in clear.
    static let maximumRowBytes =
        Padding.byteCount(for: Limits.secretBytes) + Padding.byteCount(for: Limits.attributeBytes) + ACLLimits.bytes
        + 4096
    /// Pages that are read at once: one megabyte.
    static let pagesPerRead = 256
    /// Pages that are looked at, eight terabytes of them; a file that claims more is damaged in its very size.
    static let maximumPages = UInt32(Int32.max)

    /// What rows of any version have.
    let layout: RowLayout
    let pageSize: Int
    /// How many pages there are, which callers go through by their place: those of the file, from 1, then those that the
    /// log alone has.
    let pageCount: UInt32
    private let pagesInFile: UInt32
    /// Pages behind the end of the file, ascending. A damaged log may state any number, and what lies between is nowhere.
    private let pagesBehindFile: [UInt32]
    let log: WriteAheadLog
    private let file: Int32
    private let logFile: Int32

    /// Opens what is there of a store's folder; nil where neither database nor log has a single page.
    convenience init?(folder: String, layout: RowLayout) throws(KeychainError) {
        try self.init(
            folder + "/" + StoreFiles.database, log: folder + "/" + StoreFiles.log, in: folder, layout: layout)
    }

    /// The same for a database that lies elsewhere than its log, or has none.
    init?(
        _ database: String, log logPath: String?, in folder: String, layout: RowLayout
    ) throws(KeychainError) {
        self.layout = layout
        file = try Self.open(database)
        do throws(KeychainError) {
            logFile = if let logPath { try Self.open(logPath) } else { -1 }
        } catch {
            // Nothing else would close it: there is no object yet.
            if file >= 0 { close(file) }
            throw error
        }
        let (file, logFile) = (file, logFile)
        let sizes: (file: Int, log: Int)
        do throws(KeychainError) {
            sizes = (try Self.size(file, folder), try Self.size(logFile, folder))
        } catch {
            if file >= 0 { close(file) }
            if logFile >= 0 { close(logFile) }
            throw error
        }
        log = WriteAheadLog(size: sizes.log) { Self.read(logFile, $0, $1) }
        let header = Self.read(file, 0, 100) ?? []
        let stated = header.count == 100 ? Int(header[16]) << 8 | Int(header[17]) : 0
        let isHeaderSound = header.starts(with: Array("SQLite format 3".utf8) + [0])
        pageSize =
            log.pageSize
            ?? (isHeaderSound && stated >= 512 && stated & (stated - 1) == 0 ? stated : Self.defaultPageSize)
        let bytes = sizes.file
        let inFile = min(UInt32(clamping: bytes / pageSize + (bytes % pageSize == 0 ? 0 : 1)), Self.maximumPages)
        pagesInFile = inFile
        pagesBehindFile = log.pages.keys.filter { $0 > inFile }.sorted()
        pageCount = min(inFile + UInt32(clamping: pagesBehindFile.count), Self.maximumPages)
        // Everything has its value: `deinit` closes the files of what does not come to be, too.
        if pageCount == 0 { return nil }
    }

    deinit {
        if file >= 0 { close(file) }
        if logFile >= 0 { close(logFile) }
    }

    // MARK: Pages

    /// The newest sound image of a page, from 1; nil for one that is not there or that the disk does not give.
    func page(_ number: UInt32) -> [UInt8]? {
        if let offset = log.pages[number] { return Self.whole(Self.read(logFile, offset, pageSize), pageSize) }
        guard number >= 1, number <= pagesInFile else { return nil }
        return Self.whole(Self.read(file, (Int(number) - 1) * pageSize, pageSize), pageSize)
    }

    /// The place of a page among all that there are.
    func place(of number: UInt32) -> UInt32 {
        guard number > pagesInFile else { return number }
        var (low, high) = (0, pagesBehindFile.count)
        while low < high {
            let middle = (low + high) / 2
            if pagesBehindFile[middle] < number { low = middle + 1 } else { high = middle }
        }
        return pagesInFile + 1 + UInt32(clamping: low)
    }

    /// Goes through pages in their order, by their places, reading many at once; `body` answers whether to go on.
    func forEachPage(in range: Range<UInt32>, _ body: (UInt32, UnsafeRawBufferPointer) -> Bool) {
        guard forEachPageOfFile(in: range, body) else { return }
        for place in range.clamped(to: pagesInFile + 1..<max(pagesInFile, pageCount) + 1) {
            let number = pagesBehindFile[Int(place - pagesInFile) - 1]
            guard let page = page(number) else { continue }
            guard page.withUnsafeBytes({ body(number, $0) }) else { return }
        }
    }

    /// Answers whether to go on.
    private func forEachPageOfFile(
        in range: Range<UInt32>, _ body: (UInt32, UnsafeRawBufferPointer) -> Bool
    ) -> Bool {
        var next = max(range.lowerBound, 1)
        let end = min(range.upperBound, pagesInFile + 1)
        guard next < end else { return true }
        // One for all: the daemons overwrite memory that they let go of.
        var block = [UInt8](repeating: 0, count: min(Int(end - next), Self.pagesPerRead) * pageSize)
        while next < end {
            let count = min(Int(end - next), Self.pagesPerRead)
            let read = block.withUnsafeMutableBytes { block in
                Self.read(
                    file, (Int(next) - 1) * pageSize,
                    into: UnsafeMutableRawBufferPointer(rebasing: block[..<(count * pageSize)]))
            }
            for index in 0..<count {
                let number = next + UInt32(index)
                if log.pages[number] != nil || (index + 1) * pageSize > read ?? 0 {
                    // In the log, behind the end, or in a piece that the disk did not give as a whole.
                    guard let page = page(number) else { continue }
                    guard page.withUnsafeBytes({ body(number, $0) }) else { return false }
                } else {
                    let isGoingOn = block.withUnsafeBytes { bytes in
                        body(number, UnsafeRawBufferPointer(rebasing: bytes[index * pageSize..<(index + 1) * pageSize]))
                    }
                    guard isGoingOn else { return false }
                }
            }
            next += UInt32(count)
        }
        return true
    }

    /// The whole payload of a cell, its overflow pages put behind what is in the page; nil where they do not fit together.
    func payload(_ cell: RawPage.Cell) -> [UInt8]? {
        // Pages of a payload that go round in a circle would fill any size.
        guard cell.payloadBytes <= min(Self.maximumRowBytes, Int(pageCount) * pageSize) else { return nil }
        var payload = [UInt8](cell.local)
        var next = cell.overflow
        while payload.count < cell.payloadBytes {
            guard next != 0, let page = page(next) else { return nil }
            payload += page[4..<min(pageSize, 4 + cell.payloadBytes - payload.count)]
            next = page[0..<4].reduce(0) { $0 << 8 | UInt32($1) }
        }
        return payload
    }

    /// Whether the overflow pages of a cell are there, without reading more of them than where they go on.
    func isWhole(_ cell: RawPage.Cell) -> Bool {
        guard cell.payloadBytes <= min(Self.maximumRowBytes, Int(pageCount) * pageSize) else { return false }
        var found = cell.local.count
        var next = cell.overflow
        while found < cell.payloadBytes {
            guard next != 0, let page = page(next) else { return false }
            found += pageSize - 4
            next = page[0..<4].reduce(0) { $0 << 8 | UInt32($1) }
        }
        return true
    }

    // MARK: Files

    private static func open(_ path: String) throws(KeychainError) -> Int32 {
        let descriptor = StoreFolder.openFile(path, O_RDONLY)
        guard descriptor >= 0 || errno == ENOENT else { throw KeychainError(file: path, "opening the file") }
        return descriptor
    }

    /// 0 for a file that is not there; throws where the size cannot be told, which would pass for an empty file.
    private static func size(_ file: Int32, _ folder: String) throws(KeychainError) -> Int {
        guard file >= 0 else { return 0 }
        var status = stat()
        guard StoreFolder.repeated({ fstat(file, &status) }) == 0 else {
            throw KeychainError(file: folder, "looking at the database")
        }
        return Int(status.st_size)
    }

    /// As many of the bytes as there are; nil where the disk does not give them, asked twice.
    private static func read(_ file: Int32, _ offset: Int, _ count: Int) -> [UInt8]? {
        var hasFailed = false
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            let read = Self.read(file, offset, into: UnsafeMutableRawBufferPointer(buffer))
            filled = read ?? 0
            hasFailed = read == nil
        }
        return hasFailed ? nil : bytes
    }

    /// How many bytes there are, as many as there is room for; nil where the disk does not give them, asked twice.
    private static func read(_ file: Int32, _ offset: Int, into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        guard file >= 0 else { return nil }
        var filled = 0
        var hasFailed = false
        while filled < buffer.count {
            // SAFETY: reads into what is left of the buffer.
            let got = pread(
                file, buffer.baseAddress.map { $0 + filled }, buffer.count - filled, off_t(offset + filled))
            if got < 0, errno == EINTR { continue }
            if got < 0, !hasFailed {
                hasFailed = true
                continue
            }
            guard got >= 0 else { return nil }
            if got == 0 { break }
            filled += got
        }
        return filled
    }

    /// A page that was cut short, filled up with zeroes: cells grow from its end, so that those before the cut may live.
    private static func whole(_ bytes: [UInt8]?, _ size: Int) -> [UInt8]? {
        guard var bytes, !bytes.isEmpty else { return nil }
        bytes += [UInt8](repeating: 0, count: size - bytes.count)
        return bytes
    }
}
