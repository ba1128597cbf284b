import ChatelaineModel
import ChatelaineSystem
import Glibc
import SystemCalls

/// The terms of all rows of a damaged file, computed on several processors: there may be millions, while somebody
/// waits.
///
/// One thread reads the pages in their order and gathers them in batches. Each thread computes the terms of a part of a
/// full batch. Only the reading thread reads further pages of rows that continue there. A file that fills no batch
/// takes no further thread.
struct RowTerms {
    /// The identifier, version and term of a row.
    struct Found {
        let identifier: Bytes16
        let version: Int64
        let term: RowTerm

        /// Computes the term of a row; nil for a row without identifier or version.
        init?(_ row: RawRow, _ authenticator: RowAuthenticator, _ content: inout RowContent) {
            guard let identifier = row.identifier, let version = row.version else { return nil }
            self.identifier = identifier
            self.version = version
            term = authenticator.term(of: row, &content)
        }
    }

    /// Pages of a batch: usually eight megabytes, some milliseconds of work, beside which a thread costs nothing.
    static let pagesPerBatch = 2048
    /// The most threads; more would cut a batch into slivers.
    ///
    /// Measured with two.
    private static let maximumThreads = 4

    let database: DamagedDatabase
    let authenticator: RowAuthenticator
    var pagesPerBatch = Self.pagesPerBatch
    var threads = max(1, min(Self.maximumThreads, sysconf(Int32(_SC_NPROCESSORS_ONLN))))

    /// Passes each row that is readable as a whole to `body`, in no certain order.
    func forEach(_ body: (Found) -> Void) {
        let batch = PageBatch(pages: min(pagesPerBatch, Int(database.pageCount)), of: database.pageSize)
        database.forEachPage(in: 1..<database.pageCount + 1) { number, bytes in
            batch.append(number, bytes)
            if batch.isFull {
                compute(batch, body)
                batch.removeAll()
            }
            return true
        }
        compute(batch, body)
    }

    private func compute(_ batch: PageBatch, _ body: (Found) -> Void) {
        let threads = batch.count == pagesPerBatch ? threads : 1
        let parts = (0..<threads).map { index in
            Part(
                batch, batch.count * index / threads..<batch.count * (index + 1) / threads, database.layout,
                authenticator)
        }
        let done = CountingSemaphore(0)
        var started = 0
        for part in parts.dropFirst() {
            let isStarted = Worker.start {
                part.compute()
                done.signal()
            }
            if isStarted { started += 1 } else { part.compute() }
        }
        parts.first?.compute()
        for _ in 0..<started { done.wait() }
        var content = RowContent()
        for part in parts {
            for found in part.found { body(found) }
            for index in part.pagesWithLongRows {
                database.forEachLongRow(on: batch[index]) { row in
                    if let found = Found(row, authenticator, &content) { body(found) }
                }
            }
        }
    }

    /// The work of one thread on a batch.
    // `@unchecked Sendable`: only its thread touches it, until a semaphore signals that the work is done.
    private final class Part: @unchecked Sendable {
        private let batch: PageBatch
        private let range: Range<Int>
        private let layout: RowLayout
        private let authenticator: RowAuthenticator
        private(set) var found: [Found] = []
        /// The places, in the batch, of pages with rows that continue on other pages.
        private(set) var pagesWithLongRows: [Int] = []

        init(_ batch: PageBatch, _ range: Range<Int>, _ layout: RowLayout, _ authenticator: RowAuthenticator) {
            self.batch = batch
            self.range = range
            self.layout = layout
            self.authenticator = authenticator
        }

        func compute() {
            var content = RowContent()
            for index in range {
                var hasLongRows = false
                batch[index]?.forEachCell { cell in
                    guard let cell else { return }
                    guard !cell.goesOn else { return hasLongRows = true }
                    guard let row = RawRow(whole: cell, layout) else { return }
                    if let found = Found(row, authenticator, &content) { self.found.append(found) }
                }
                if hasLongRows { pagesWithLongRows.append(index) }
            }
        }
    }
}

/// Copies of pages that are processed together.
// `@unchecked Sendable`: the filling thread lets others read it only while it neither fills nor empties it.
private final class PageBatch: @unchecked Sendable {
    private let pageSize: Int
    private let buffer: UnsafeMutableRawBufferPointer
    private var numbers: [UInt32] = []

    init(pages: Int, of pageSize: Int) {
        self.pageSize = pageSize
        // SAFETY: released in `deinit`; a page is read only after it was written.
        buffer = .allocate(byteCount: max(1, pages) * pageSize, alignment: MemoryLayout<UInt64>.alignment)
        numbers.reserveCapacity(pages)
    }

    deinit { buffer.deallocate() }

    var count: Int { numbers.count }
    var isFull: Bool { (count + 1) * pageSize > buffer.count }

    func append(_ number: UInt32, _ page: UnsafeRawBufferPointer) {
        let start = count * pageSize
        UnsafeMutableRawBufferPointer(rebasing: buffer[start..<start + pageSize])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: page[..<pageSize]))
        numbers.append(number)
    }

    func removeAll() { numbers.removeAll(keepingCapacity: true) }

    /// A page of the batch; nil for a page of no tree.
    subscript(index: Int) -> RawPage? {
        let start = index * pageSize
        return RawPage(UnsafeRawBufferPointer(rebasing: buffer[start..<start + pageSize]), number: numbers[index])
    }
}
