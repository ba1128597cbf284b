import Glibc

/// A descriptor together with the socket that it referred to.
///
/// A forked child may have closed all inherited descriptors, as daemons do, and opened files under the same numbers.
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

    /// Whether the descriptor still refers to that socket.
    var isStillOpen: Bool { number >= 0 && Self.inode(of: number) == inode }

    /// The inode number of a socket, unique while the socket is open; nil for other files.
    private static func inode(of descriptor: Int32) -> UInt? {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return nil }
        return status.st_ino
    }
}
