import Glibc
import Testing

/// Memory that ends at a page without access: a read beyond the end stops the test run.
final class GuardedBytes {
    private let pages: UnsafeMutableRawPointer
    private let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    let capacity: Int

    init(capacity: Int = 4096) throws {
        self.capacity = (capacity + page - 1) / page * page
        let size = self.capacity + page
        let mapped = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        pages = try #require(mapped != MAP_FAILED ? mapped : nil)
        try #require(mprotect(pages + self.capacity, page, PROT_NONE) == 0)
    }

    deinit { munmap(pages, capacity + page) }

    /// Lends a copy of `bytes` directly before the page without access.
    func with<Result>(_ bytes: [UInt8], _ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        let bytes = bytes.suffix(capacity)
        let place = UnsafeMutableRawBufferPointer(start: pages + (capacity - bytes.count), count: bytes.count)
        place.copyBytes(from: bytes)
        return try body(UnsafeRawBufferPointer(place))
    }
}
