import Glibc

/// The memory of another process, which root reads from /proc.
package struct ProcessMemory {
    package struct Region {
        package var range: Range<UInt>
        package var name: String
        /// Whether it is kept out of swap: `VmFlags: lo` of proc(5).
        package var isLocked: Bool
        /// Whether it is kept out of core dumps: `VmFlags: dd`.
        package var isLeftOutOfDumps = false
    }

    /// The size from which regions are skipped: the heaps of the daemons are smaller than a gigabyte.
    private static let largestRegion: UInt = 1 << 30

    private let pid: pid_t

    package init(of pid: pid_t) { self.pid = pid }

    package var regions: [Region] {
        let text = String(decoding: Self.read("/proc/\(pid)/smaps"), as: UTF8.self)
        var regions: [Region] = []
        var isWritable = false
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ", omittingEmptySubsequences: true)
            if words.first == "VmFlags:" {
                if isWritable {
                    regions[regions.count - 1].isLocked = words.contains("lo")
                    regions[regions.count - 1].isLeftOutOfDumps = words.contains("dd")
                }
                continue
            }
            let bounds = (words.first ?? "").split(separator: "-").compactMap { UInt($0, radix: 16) }
            guard bounds.count == 2, words.count >= 5 else { continue }
            isWritable = words[1].hasPrefix("rw")
            guard isWritable else { continue }
            regions.append(
                Region(
                    range: bounds[0]..<bounds[1], name: words.dropFirst(5).joined(separator: " "), isLocked: false))
        }
        return regions.filter { UInt($0.range.count) < Self.largestRegion }
    }

    /// Reads a whole file that the kernel delivers in pieces.
    private static func read(_ path: String) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return [] }
        defer { close(file) }
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 64 * 1024)
        while true {
            let count = Glibc.read(file, &piece, piece.count)
            guard count > 0 else { return bytes }
            bytes += piece.prefix(count)
        }
    }

    /// Finds the writable regions that hold one of the byte strings.
    package func regions(holding secrets: [[UInt8]]) -> [Region] {
        let memory = open("/proc/\(pid)/mem", O_RDONLY | O_CLOEXEC)
        guard memory >= 0 else { return [] }
        defer { close(memory) }
        return regions.filter { region in
            var bytes = [UInt8](repeating: 0, count: region.range.count)
            let offset = off_t(Int(bitPattern: region.range.lowerBound))
            let count = bytes.withUnsafeMutableBytes { pread(memory, $0.baseAddress, $0.count, offset) }
            return count > 0 && secrets.contains { Self.holds(bytes.prefix(count), $0) }
        }
    }

    /// Searches for a byte of the secret that is not zero, since most of a memory is zero, and compares around it.
    private static func holds(_ bytes: ArraySlice<UInt8>, _ secret: [UInt8]) -> Bool {
        guard let mark = secret.firstIndex(where: { $0 != 0 }) else { return false }
        return bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress, bytes.count >= secret.count else { return false }
            let last = bytes.count - secret.count + mark
            var at = mark
            while at <= last {
                // SAFETY: both calls stay within the bytes, of which `secret.count` begin `mark` before what is found.
                guard let found = memchr(base + at, Int32(secret[mark]), last - at + 1) else { return false }
                at = UnsafeRawPointer(found) - base
                if memcmp(base + at - mark, secret, secret.count) == 0 { return true }
                at += 1
            }
            return false
        }
    }
}
