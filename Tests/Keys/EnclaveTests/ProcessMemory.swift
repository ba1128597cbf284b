import Foundation
import Glibc

/// The memory of another process, as root sees it in /proc.
struct ProcessMemory {
    struct Region {
        var range: Range<UInt>
        var name: String
        /// Kept out of swap: `VmFlags: lo` of proc(5).
        var isLocked: Bool
    }

    /// What lies in shared libraries and the like is no secret; a gigabyte would be no heap of ours.
    private static let largestRegion: UInt = 1 << 30

    private let pid: pid_t

    init(of pid: pid_t) { self.pid = pid }

    var regions: [Region] {
        let text = String(
            decoding: FileHandle(forReadingAtPath: "/proc/\(pid)/smaps")?.readDataToEndOfFile() ?? Data(), as: UTF8.self
        )
        var regions: [Region] = []
        var isWritable = false
        for line in text.split(separator: "\n") {
            let words = line.split(separator: " ", omittingEmptySubsequences: true)
            if words.first == "VmFlags:" {
                if isWritable { regions[regions.count - 1].isLocked = words.contains("lo") }
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

    /// The writable regions that hold one of the byte strings.
    func regions(holding secrets: [[UInt8]]) -> [Region] {
        let memory = open("/proc/\(pid)/mem", O_RDONLY | O_CLOEXEC)
        guard memory >= 0 else { return [] }
        defer { close(memory) }
        return regions.filter { region in
            var bytes = Data(count: region.range.count)
            let offset = off_t(Int(bitPattern: region.range.lowerBound))
            let count = bytes.withUnsafeMutableBytes { pread(memory, $0.baseAddress, $0.count, offset) }
            return count > 0 && secrets.contains { bytes.range(of: Data($0)) != nil }
        }
    }
}
