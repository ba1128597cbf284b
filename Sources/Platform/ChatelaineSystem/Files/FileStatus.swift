import Glibc

/// The part of a file's `stat` that is needed to judge the file.
package struct FileStatus: Hashable, Sendable {
    package var key: FileKey
    package var mode: UInt32
    package var owner: UInt32
    package var group: UInt32
    package var size: Int64
    /// The last changes of the content and of the inode, in nanoseconds since 1970.
    package var modified: Int64
    package var changed: Int64

    package var isFolder: Bool { mode & S_IFMT == S_IFDIR }
    package var isRegular: Bool { mode & S_IFMT == S_IFREG }
    package var isExecutable: Bool { isRegular && mode & 0o111 != 0 }
    package var isWorldWritable: Bool { mode & 0o002 != 0 }

    package init(_ status: stat) {
        key = FileKey(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
        mode = status.st_mode
        owner = status.st_uid
        group = status.st_gid
        size = Int64(status.st_size)
        modified = Self.nanoseconds(status.st_mtim)
        changed = Self.nanoseconds(status.st_ctim)
    }

    /// Wraps instead of trapping: a file system may store any number, and only equality and order of sane ones matter.
    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}

/// Identifies a file, whatever its name, by device and inode.
package struct FileKey: Hashable, Sendable {
    package let device: UInt64
    package let inode: UInt64

    package init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }
}
