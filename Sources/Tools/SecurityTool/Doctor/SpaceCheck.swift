import ChatelaineIPC
import ChatelaineSystem
import Glibc

/// Checks the free space of the file systems with our folders.
struct SpaceCheck {
    /// Room for a write-ahead log, a snapshot and some large items.
    private static let comfortableBytes: UInt64 = 256 * 1024 * 1024
    /// Room for one item of the largest size, sealed, in log and database.
    private static let neededBytes: UInt64 = 48 * 1024 * 1024

    let deployment: Deployment

    func findings() -> [Finding] {
        let items = FileSystem(of: deployment.dataFolder)
        let state = FileSystem(of: deployment.stateFolder)
        return [Self.judge(items, name: "disk.space")]
            + (state.identifier == items.identifier ? [] : [Self.judge(state, name: "disk.space.state")])
    }

    /// The file system that contains a folder, or will contain it.
    private struct FileSystem {
        private(set) var path: String
        private(set) var status = statvfs()
        /// The error if the file system is not known; otherwise 0.
        private(set) var error: Int32 = 0

        init(of folder: String) {
            path = folder
            // If the folder does not exist yet, the one above it decides.
            while statvfs(path, &status) != 0 {
                error = errno
                guard error == ENOENT, path != "/", let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else {
                    return
                }
                path = slash == path.startIndex ? "/" : String(path[..<slash])
            }
            error = 0
        }

        var identifier: UInt? { error == 0 ? UInt(status.f_fsid) : nil }
    }

    private static func judge(_ system: FileSystem, name: String) -> Finding {
        guard system.error == 0 else {
            return Finding(
                name, .degraded, "unknown for \(system.path): \(Errno(system.error))",
                remedy: "see what is said about that folder above")
        }
        guard system.status.f_flag & UInt(ST_RDONLY) == 0 else {
            return Finding(name, .problem, "\(system.path) is mounted read-only", remedy: "mount it writable")
        }
        let (free, isLarge) = UInt64(system.status.f_bavail)
            .multipliedReportingOverflow(by: UInt64(system.status.f_frsize))
        return judge(isLarge ? .max : free, at: system.path, name: name)
    }

    static func judge(_ free: UInt64, at path: String, name: String = "disk.space") -> Finding {
        let text = "\(Quantity.bytes(Int64(clamping: free))) free at \(path)"
        let remedy = "free some space; nothing can be stored on a full disk"
        if free < neededBytes { return Finding(name, .problem, text, remedy: remedy) }
        if free < comfortableBytes { return Finding(name, .degraded, text, remedy: remedy) }
        return Finding(name, .ok, text)
    }
}
