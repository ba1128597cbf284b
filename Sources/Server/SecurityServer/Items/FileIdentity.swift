import Glibc

/// Which file stands at a path, to tell it from another that takes its place.
struct FileIdentity: Equatable, Sendable {
    private let device: UInt64
    private let inode: UInt64

    /// Nil where there is none, or none that can be looked at; errno says why.
    init?(at path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
    }
}
