import ChatelaineIPC
import Glibc

/// Room on the disk of the items.
struct SpaceCheck {
    /// A write-ahead log, a snapshot and some large items.
    private static let comfortableBytes: UInt64 = 256 * 1024 * 1024
    /// One largest item, sealed, in log and database.
    private static let neededBytes: UInt64 = 48 * 1024 * 1024

    let deployment: Deployment

    func findings() -> [Finding] {
        let name = "disk.space"
        var path = deployment.dataFolder
        var status = statvfs()
        // The folder may not be there yet; the one above it will hold it.
        while statvfs(path, &status) != 0 {
            guard errno == ENOENT, path != "/", let slash = path.lastIndex(of: "/") else {
                return [
                    Finding(
                        name, .degraded, "unknown for \(path): \(String(cString: strerror(errno)))",
                        remedy: "let this user reach it")
                ]
            }
            path = slash == path.startIndex ? "/" : String(path[..<slash])
        }
        guard status.f_flag & UInt(ST_RDONLY) == 0 else {
            return [Finding(name, .problem, "\(path) is mounted read-only", remedy: "mount it writable")]
        }
        let (free, isLarge) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return [Self.judge(isLarge ? .max : free, at: path)]
    }

    static func judge(_ free: UInt64, at path: String) -> Finding {
        let text = "\(Quantity.bytes(Int64(clamping: free))) free at \(path)"
        let remedy = "free some space; nothing can be stored on a full disk"
        if free < neededBytes { return Finding("disk.space", .problem, text, remedy: remedy) }
        if free < comfortableBytes { return Finding("disk.space", .degraded, text, remedy: remedy) }
        return Finding("disk.space", .ok, text)
    }
}
