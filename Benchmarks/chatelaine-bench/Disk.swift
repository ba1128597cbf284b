import Foundation

/// Statistics of the disk that holds a folder.
enum Disk {
    /// The number of cache flushes: one for each fsync(2) that writes, by any process. Nil where the kernel has no
    /// count.
    static func flushes(below folder: String) -> Int? {
        var status = stat()
        guard stat(folder, &status) == 0, let text = try? String(contentsOfFile: "/proc/diskstats", encoding: .utf8)
        else {
            return nil
        }
        let number = [String(major(status.st_dev)), String(minor(status.st_dev))]
        let rows = text.split(separator: "\n").map { $0.split(separator: " ") }
        guard let row = rows.first(where: { $0.prefix(2).elementsEqual(number) { $0 == $1 } }), row.count > flushColumn
        else { return nil }
        return Int(row[flushColumn])
    }

    /// The column of the 16th count after the disk's name (Linux's Documentation/admin-guide/iostats.rst).
    private static let flushColumn = 18

    private static func major(_ device: dev_t) -> UInt { device >> 8 & 0xFFF | device >> 32 & ~0xFFF }
    private static func minor(_ device: dev_t) -> UInt { device & 0xFF | device >> 12 & ~0xFF }
}
