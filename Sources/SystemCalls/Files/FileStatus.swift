import Glibc

/// What `stat` says of a file, as far as judging it needs.
public struct FileStatus: Hashable, Sendable {
    public var key: FileKey
    public var mode: UInt32
    public var owner: UInt32
    public var group: UInt32
    public var size: Int64
    /// Last change of the content and of the inode, in nanoseconds since 1970.
    public var modified: Int64
    public var changed: Int64

    public var isFolder: Bool { mode & S_IFMT == S_IFDIR }
    public var isRegular: Bool { mode & S_IFMT == S_IFREG }
    public var isExecutable: Bool { isRegular && mode & 0o111 != 0 }
    public var isWorldWritable: Bool { mode & 0o002 != 0 }

    public init(_ status: stat) {
        key = FileKey(device: UInt64(status.st_dev), inode: UInt64(status.st_ino))
        mode = status.st_mode
        owner = status.st_uid
        group = status.st_gid
        size = Int64(status.st_size)
        modified = Self.nanoseconds(status.st_mtim)
        changed = Self.nanoseconds(status.st_ctim)
    }

    /// Wraps instead of trapping: a file system may hold any number, and only equality and order of sane ones count.
    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}

/// Which file, whatever its name: device and inode.
public struct FileKey: Hashable, Sendable {
    public let device: UInt64
    public let inode: UInt64

    public init(device: UInt64, inode: UInt64) {
        self.device = device
        self.inode = inode
    }
}
