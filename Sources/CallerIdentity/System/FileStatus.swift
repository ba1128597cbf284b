import Glibc

/// What `stat` says of a file, as far as judging it needs.
struct FileStatus: Hashable, Sendable {
    var key: FileKey
    var mode: UInt32
    var owner: UInt32
    var group: UInt32
    var size: Int64
    /// Last change of the content and of the inode, in nanoseconds since 1970.
    var modified: Int64
    var changed: Int64

    var isFolder: Bool { mode & S_IFMT == S_IFDIR }
    var isRegular: Bool { mode & S_IFMT == S_IFREG }
    var isExecutable: Bool { isRegular && mode & 0o111 != 0 }
    var isWorldWritable: Bool { mode & 0o002 != 0 }
}

extension FileStatus {
    init(_ status: stat) {
        self.init(
            key: FileKey(device: UInt64(status.st_dev), inode: UInt64(status.st_ino)), mode: status.st_mode,
            owner: status.st_uid, group: status.st_gid, size: Int64(status.st_size),
            modified: Self.nanoseconds(status.st_mtim), changed: Self.nanoseconds(status.st_ctim))
    }

    /// Wraps instead of trapping: a file system may hold any number, and only equality and order of sane ones count.
    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}
