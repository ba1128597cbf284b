import Glibc

/// The system calls by which the custodian reaches its files; the one seam at which tests make them fail.
///
/// Each answers as the kernel does: a count or descriptor of 0 or more, or the error's number, negated. Names are
/// relative to the open folder that comes first.
public struct FileCalls: Sendable {
    public var open: @Sendable (_ folder: Int32, _ name: String, _ flags: Int32, _ mode: mode_t) -> Int32
    public var makeFolder: @Sendable (_ folder: Int32, _ name: String, _ mode: mode_t) -> Int32
    public var status: @Sendable (_ file: Int32, _ status: inout stat) -> Int32
    public var lock: @Sendable (_ folder: Int32) -> Int32
    public var read: @Sendable (_ file: Int32, _ buffer: UnsafeMutableRawBufferPointer) -> Int
    public var write: @Sendable (_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int
    public var sync: @Sendable (_ file: Int32) -> Int32
    public var rename: @Sendable (_ folder: Int32, _ old: String, _ new: String) -> Int32
    public var remove: @Sendable (_ folder: Int32, _ name: String) -> Int32
    public var close: @Sendable (_ file: Int32) -> Int32

    /// The kernel's own.
    // SAFETY: every call below gets descriptors and names that its caller owns, and buffers with their true lengths.
    public static let system = FileCalls(
        open: { folder, name, flags, mode in answer(openat(folder, name, flags, mode)) },
        makeFolder: { folder, name, mode in answer(mkdirat(folder, name, mode)) },
        status: { file, status in answer(fstat(file, &status)) },
        lock: { folder in answer(flock(folder, LOCK_EX | LOCK_NB)) },
        read: { file, buffer in
            let count = Glibc.read(file, buffer.baseAddress, buffer.count)
            return count < 0 ? -Int(errno) : count
        },
        write: { file, bytes in
            let count = Glibc.write(file, bytes.baseAddress, bytes.count)
            return count < 0 ? -Int(errno) : count
        },
        sync: { file in answer(fsync(file)) },
        rename: { folder, old, new in answer(renameat(folder, old, folder, new)) },
        remove: { folder, name in answer(unlinkat(folder, name, 0)) },
        close: { file in answer(Glibc.close(file)) })

    private static func answer(_ result: Int32) -> Int32 { result < 0 ? -errno : result }
}
