import ChatelaineSystem
import Glibc

/// The mounts of this process whose file systems are programs of users (FUSE), from `/proc/self/mountinfo` (proc(5)).
///
/// statfs(2) reports that too, but it asks the file system itself, and a program can delay its answer for as long as it
/// likes.
final class MountTable: Sendable {
    static let own = MountTable("/proc/self/mountinfo")

    /// In bytes: thousands of mounts. A mount beyond the limit counts as served by a user's program.
    private static let longestTable = 4 << 20

    private struct State: ~Copyable {
        /// Held open, because the kernel wakes a poll of it when something is mounted or unmounted.
        var file: Descriptor?
        /// Whether a user's program serves each mount, by the number of the mount.
        var mounts: [UInt64: Bool] = [:]
    }

    private let path: String
    private let files = FileCalls.system
    private let state = AdaptiveMutex(State())

    init(_ path: String) { self.path = path }

    /// Whether a program of a user serves the file system of a mount; also true for a mount that this process does not
    /// have.
    func isProvided(_ mount: UInt64) throws(Errno) -> Bool {
        try state.withLock { state throws(Errno) in
            if Self.isChanged(state.file?.number ?? -1) { try read(into: &state) }
            if let isProvided = state.mounts[mount] { return isProvided }
            // The mount may be new, if an earlier poll consumed its notification.
            try read(into: &state)
            return state.mounts[mount] ?? true
        }
    }

    private static func isChanged(_ file: Int32) -> Bool {
        guard file >= 0 else { return true }
        var watched = pollfd(fd: file, events: Int16(POLLPRI), revents: 0)
        return poll(&watched, 1, 0) != 0
    }

    private func read(into state: inout State) throws(Errno) {
        if state.file == nil { state.file = try files.open(path, in: AT_FDCWD, .read) }
        guard let file = state.file?.number else { return }
        // Polled before the read, so that a change during the read is noticed the next time.
        _ = Self.isChanged(file)
        state.mounts = Self.mounts(in: try files.contents(of: file, limit: Self.longestTable))
    }

    /// Parses lines such as `36 35 98:0 /root /point rw,noatime master:1 - fuse.sshfs source rw,user_id=1000,…`.
    ///
    /// Blanks in names are written as numbers.
    static func mounts(in table: [UInt8]) -> [UInt64: Bool] {
        var mounts: [UInt64: Bool] = [:]
        for line in table.split(separator: UInt8(ascii: "\n")) {
            let fields = line.split(separator: UInt8(ascii: " "))
            guard let first = fields.first, let number = UInt64(String(decoding: first, as: UTF8.self)) else {
                continue
            }
            // The number of fields before the dash varies.
            guard let dash = fields.firstIndex(where: { $0.elementsEqual("-".utf8) }), fields.count > dash + 3 else {
                mounts[number] = true
                continue
            }
            let name = fields[dash + 1]
            let isProgram =
                name.elementsEqual("fuse".utf8) || name.starts(with: "fuse.".utf8) || name.elementsEqual("fuseblk".utf8)
            let options = fields[dash + 3].split(separator: UInt8(ascii: ","))
            // A FUSE mount that root made is as trustworthy as root's other file systems.
            mounts[number] = isProgram && !options.contains { $0.elementsEqual("user_id=0".utf8) }
        }
        return mounts
    }
}
