import CChatelaine
import Glibc

/// The system calls on files for daemons, and for programs that write what root trusts; the seam at which tests make
/// them fail.
///
/// It is a structure of closures: a test takes ``system`` and replaces some. The closures have the names of the calls
/// and throw each error as it is, including an interruption by a signal. The methods in `FileCalls+…` repeat an
/// interrupted call; other code uses these methods. A path is relative to the open folder beside it unless it begins
/// with "/".
package struct FileCalls: Sendable {
    package var openat: @Sendable (_ folder: Int32, _ path: String, _ mode: OpenMode) throws(Errno) -> Int32
    /// Makes a folder for its owner only.
    package var mkdirat: @Sendable (_ folder: Int32, _ path: String) throws(Errno) -> Void
    package var fstat: @Sendable (_ file: Int32) throws(Errno) -> FileStatus
    /// The status that the kernel has in memory, without asking the file system, which may be a program of the caller's
    /// (FUSE).
    package var statx: @Sendable (_ file: Int32) throws(Errno) -> FileStatus
    /// The status of the file at a path; follows symbolic links.
    package var fstatat: @Sendable (_ folder: Int32, _ path: String) throws(Errno) -> FileStatus
    package var readlinkat:
        @Sendable (_ folder: Int32, _ path: String, _ buffer: UnsafeMutableBufferPointer<CChar>) throws(Errno) -> Int
    /// The magic number of the file system that holds a file.
    package var fstatfs: @Sendable (_ file: Int32) throws(Errno) -> UInt64
    /// Whether an access control list governs a file besides its mode.
    package var hasAccessList: @Sendable (_ file: Int32) throws(Errno) -> Bool
    /// The names in a folder without `.` and `..`, up to the limit.
    package var names: @Sendable (_ folder: String, _ limit: Int) throws(Errno) -> [String]
    /// Takes an exclusive lock; EWOULDBLOCK where another process has it.
    package var flock: @Sendable (_ file: Int32) throws(Errno) -> Void
    package var pread:
        @Sendable (_ file: Int32, _ buffer: UnsafeMutableRawBufferPointer, _ offset: Int64) throws(Errno) -> Int
    package var write: @Sendable (_ file: Int32, _ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int
    package var ftruncate: @Sendable (_ file: Int32, _ size: Int64) throws(Errno) -> Void
    package var fchmod: @Sendable (_ file: Int32, _ permissions: UInt32) throws(Errno) -> Void
    package var fsync: @Sendable (_ file: Int32) throws(Errno) -> Void
    package var renameat: @Sendable (_ folder: Int32, _ old: String, _ new: String) throws(Errno) -> Void
    package var unlinkat: @Sendable (_ folder: Int32, _ path: String) throws(Errno) -> Void
    package var close: @Sendable (_ file: Int32) throws(Errno) -> Void

    /// The kernel's calls.
    ///
    /// SAFETY, for all of them: paths are C strings that Swift keeps alive for the call; `stat` and pointers are to
    /// local variables; buffers carry their own length.
    package static let system = FileCalls(
        openat: { folder, path, mode throws(Errno) in
            guard let flags = mode.flags else {
                return try checked(
                    chatelaine_above_standard(chatelaine_open_path(folder, path, mode == .lookThrough ? 1 : 0)))
            }
            return try checked(chatelaine_above_standard(Glibc.openat(folder, path, flags, 0o600)))
        },
        mkdirat: { folder, path throws(Errno) in _ = try checked(Glibc.mkdirat(folder, path, 0o700)) },
        fstat: { file throws(Errno) in
            var status = stat()
            _ = try checked(Glibc.fstat(file, &status))
            return FileStatus(status)
        },
        statx: { file throws(Errno) in
            var status = stat()
            _ = try checked(chatelaine_known_status(file, &status))
            return FileStatus(status)
        },
        fstatat: { folder, path throws(Errno) in
            var status = stat()
            _ = try checked(Glibc.fstatat(folder, path, &status, 0))
            return FileStatus(status)
        },
        readlinkat: { folder, path, buffer throws(Errno) in
            guard let base = buffer.baseAddress else { throw .nameTooLong }
            return try checked(Glibc.readlinkat(folder, path, base, buffer.count))
        },
        fstatfs: { file throws(Errno) in
            var magic: UInt64 = 0
            _ = try checked(chatelaine_file_system(file, &magic))
            return magic
        },
        hasAccessList: { file throws(Errno) in try checked(chatelaine_has_access_list(file)) == 1 },
        names: { folder, limit throws(Errno) in try namesOfFolder(folder, limit) },
        flock: { file throws(Errno) in _ = try checked(lockAlone(file)) },
        pread: { file, buffer, offset throws(Errno) in
            try checked(Glibc.pread(file, buffer.baseAddress, buffer.count, off_t(offset)))
        },
        write: { file, bytes throws(Errno) in try checked(Glibc.write(file, bytes.baseAddress, bytes.count)) },
        ftruncate: { file, size throws(Errno) in _ = try checked(Glibc.ftruncate(file, off_t(size))) },
        fchmod: { file, permissions throws(Errno) in _ = try checked(Glibc.fchmod(file, permissions)) },
        fsync: { file throws(Errno) in _ = try checked(Glibc.fsync(file)) },
        renameat: { folder, old, new throws(Errno) in _ = try checked(Glibc.renameat(folder, old, folder, new)) },
        unlinkat: { folder, path throws(Errno) in _ = try checked(Glibc.unlinkat(folder, path, 0)) },
        close: { file throws(Errno) in _ = try checked(Glibc.close(file)) })

    private static func checked<Number: SignedInteger>(_ result: Number) throws(Errno) -> Number {
        guard result >= 0 else { throw .last }
        return result
    }
}

/// Lies outside of `FileCalls`, where `flock` names neither the closure nor the structure of fcntl(2).
private func lockAlone(_ file: Int32) -> Int32 { flock(file, LOCK_EX | LOCK_NB) }

private func namesOfFolder(_ path: String, _ limit: Int) throws(Errno) -> [String] {
    guard let folder = opendir(path) else { throw .last }
    defer { closedir(folder) }
    var names: [String] = []
    while names.count < limit {
        errno = 0
        guard let entry = readdir(folder) else {
            guard errno == 0 else { throw .last }
            break
        }
        // SAFETY: the name is a C string inside the entry, which is valid until the next call.
        let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
            pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name != ".", name != ".." { names.append(name) }
    }
    return names
}
