/// Which file, whatever its name: device and inode.
struct FileKey: Hashable, Sendable {
    let device: UInt64
    let inode: UInt64
}
