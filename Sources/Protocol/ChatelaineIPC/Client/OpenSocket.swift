import Glibc

/// A descriptor and the socket behind it.
///
/// A forked child may have closed all it inherited, as daemons do, and have files of its own under the same numbers.
struct OpenSocket {
    static let none = OpenSocket()

    let number: Int32
    private let inode: UInt

    private init() {
        number = -1
        inode = 0
    }

    init(_ number: Int32) {
        self.number = number
        inode = Self.inode(of: number) ?? 0
    }

    /// Whether the number still stands for that socket.
    var isStillOpen: Bool { number >= 0 && Self.inode(of: number) == inode }

    /// The number of a socket in the kernel's own file system, unique while it is open; nil for other files.
    private static func inode(of descriptor: Int32) -> UInt? {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
        return status.st_ino
    }
}
