import ChatelaineModel
import ChatelaineSystem
import Glibc
import Sealing
import Synchronization

/// A database that SQLite can no longer read, read page by page so that its sound parts can be saved.
///
/// The reader needs neither header nor tree. It searches every page that looks like a leaf of a table for rows; pages
/// of the log replace those of the file. A row counts once its seals open. Deleted rows are absent, since the store has
/// SQLite overwrite them. Nothing is written. No connection of this process may have the file open, since closing it
/// drops SQLite's locks.
final class DamagedDatabase: Sendable {
    static let defaultPageSize = 4096
    /// SQLite's limits for a page, whose size is a power of two.
    private static let pageSizes = 512...65536
    /// The largest row: secret, attributes, access object, and the columns in clear.
    static let maximumRowBytes =
        Padding.byteCount(for: Limits.secretBytes) + Padding.byteCount(for: Limits.attributeBytes) + ACLLimits.bytes
        + 4096
    /// Pages of one read: one megabyte.
    static let pagesPerRead = 256
    /// The most pages, which are eight terabytes; a file that claims more has a damaged size.
    static let maximumPages = UInt32(Int32.max)

    /// The columns of rows of any version.
    let layout: RowLayout
    let pageSize: Int
    /// The number of pages, which callers address by place: the pages of the file, from 1, then those that only the log
    /// has.
    let pageCount: UInt32
    private let pagesInFile: UInt32
    /// The pages beyond the end of the file, ascending.
    ///
    /// A damaged log may state any number, so that the pages between need not exist.
    private let pagesBehindFile: [UInt32]
    let log: WriteAheadLog
    private let file: Int32
    private let logFile: Int32
    /// Which cells may follow which overflow pages; nil before they were counted.
    let claims = AdaptiveMutex<ChainClaims?>(nil)
    /// The overflow pages that were followed so far.
    let chainPagesRead = Atomic<Int>(0)

    /// Opens the files in a store's folder; nil where neither database nor log has a page.
    convenience init?(folder: String, layout: RowLayout) throws(KeychainError) {
        try self.init(
            folder + "/" + StoreFiles.database, log: folder + "/" + StoreFiles.log, in: folder, layout: layout)
    }

    /// Opens a database whose log lies elsewhere, or that has none.
    init?(
        _ database: String, log logPath: String?, in folder: String, layout: RowLayout
    ) throws(KeychainError) {
        self.layout = layout
        file = try Self.open(database)
        do throws(KeychainError) {
            logFile = if let logPath { try Self.open(logPath) } else { -1 }
        } catch {
            // No object exists yet whose `deinit` would close the file.
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
            ?? (isHeaderSound && Self.isPageSize(stated) ? stated : Self.defaultPageSize)
        let bytes = sizes.file
        let inFile = min(UInt32(clamping: bytes / pageSize + (bytes % pageSize == 0 ? 0 : 1)), Self.maximumPages)
        pagesInFile = inFile
        pagesBehindFile = log.pages.keys.filter { $0 > inFile }.sorted()
        pageCount = min(inFile + UInt32(clamping: pagesBehindFile.count), Self.maximumPages)
        // All properties are set, so that `deinit` closes the files even where the initializer returns nil.
        if pageCount == 0 { return nil }
    }

    deinit {
        if file >= 0 { close(file) }
        if logFile >= 0 { close(logFile) }
    }

    // MARK: Pages

    /// The newest sound image of a page, from 1; nil for a missing page or one that the disk does not yield.
    func page(_ number: UInt32) -> [UInt8]? {
        if let offset = log.pages[number] { return Self.whole(Self.read(logFile, offset, pageSize), pageSize) }
        guard number >= 1, number <= pagesInFile else { return nil }
        return Self.whole(Self.read(file, (Int(number) - 1) * pageSize, pageSize), pageSize)
    }

    /// The place of a page among all pages.
    func place(of number: UInt32) -> UInt32 {
        guard number > pagesInFile else { return number }
        var (low, high) = (0, pagesBehindFile.count)
        while low < high {
            let middle = (low + high) / 2
            if pagesBehindFile[middle] < number { low = middle + 1 } else { high = middle }
        }
        return pagesInFile + 1 + UInt32(clamping: low)
    }

    /// Passes pages in order of their places to `body`, reading many at once, until it answers false.
    func forEachPage(in range: Range<UInt32>, _ body: (UInt32, UnsafeRawBufferPointer) -> Bool) {
        guard forEachPageOfFile(in: range, body) else { return }
        for place in range.clamped(to: pagesInFile + 1..<max(pagesInFile, pageCount) + 1) {
            let number = pagesBehindFile[Int(place - pagesInFile) - 1]
            guard let page = page(number) else { continue }
            guard page.withUnsafeBytes({ body(number, $0) }) else { return }
        }
    }

    /// Passes pages of the file to `body`; answers whether to go on.
    private func forEachPageOfFile(
        in range: Range<UInt32>, _ body: (UInt32, UnsafeRawBufferPointer) -> Bool
    ) -> Bool {
        var next = max(range.lowerBound, 1)
        let end = min(range.upperBound, pagesInFile + 1)
        guard next < end else { return true }
        // One buffer for all reads, since the daemons overwrite memory that they release.
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
                    // The page is in the log, beyond the end, or in a block that the disk did not yield as a whole.
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

    // MARK: Files

    /// Whether a header may state this size; a page of 65536 bytes has its size only in the log.
    static func isPageSize(_ bytes: Int) -> Bool { pageSizes.contains(bytes) && bytes & (bytes - 1) == 0 }

    private static func open(_ path: String) throws(KeychainError) -> Int32 {
        let descriptor = StoreFolder.openFile(path, O_RDONLY)
        guard descriptor >= 0 || errno == ENOENT else { throw KeychainError(file: path, "opening the file") }
        return descriptor
    }

    /// The size of a file; 0 without a file.
    ///
    /// An unknown size is an error, since it would pass for an empty file.
    private static func size(_ file: Int32, _ folder: String) throws(KeychainError) -> Int {
        guard file >= 0 else { return 0 }
        var status = stat()
        guard StoreFolder.repeated({ fstat(file, &status) }) == 0 else {
            throw KeychainError(file: folder, "looking at the database")
        }
        return Int(status.st_size)
    }

    /// Reads up to `count` bytes; nil where the disk fails twice.
    private static func read(_ file: Int32, _ offset: Int, _ count: Int) -> [UInt8]? {
        var hasFailed = false
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            let read = Self.read(file, offset, into: UnsafeMutableRawBufferPointer(buffer))
            filled = read ?? 0
            hasFailed = read == nil
        }
        return hasFailed ? nil : bytes
    }

    /// Reads as many bytes as the file has, up to the size of the buffer; nil where the disk fails twice.
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

    /// Fills a page that was cut short with zeros: cells grow from a page's end, so that some before the cut may be
    /// readable.
    private static func whole(_ bytes: [UInt8]?, _ size: Int) -> [UInt8]? {
        guard var bytes, !bytes.isEmpty else { return nil }
        bytes += [UInt8](repeating: 0, count: size - bytes.count)
        return bytes
    }
}
