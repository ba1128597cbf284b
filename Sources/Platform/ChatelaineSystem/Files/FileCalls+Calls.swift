import Glibc

/// The calls for other code: they repeat a call that a signal interrupted.
extension FileCalls {
    /// `PATH_MAX`; the kernel accepts no longer path.
    package static let longestPath = 4096

    package func open(_ path: String, in folder: Int32, _ mode: OpenMode) throws(Errno) -> Descriptor {
        Descriptor(try Errno.uninterrupted { () throws(Errno) in try openat(folder, path, mode) })
    }

    package func makeFolder(_ path: String, in folder: Int32) throws(Errno) {
        try Errno.uninterrupted { () throws(Errno) in try mkdirat(folder, path) }
    }

    package func status(of file: Int32) throws(Errno) -> FileStatus {
        try Errno.uninterrupted { () throws(Errno) in try fstat(file) }
    }

    /// The status that the kernel has in memory, without asking the file system, which may be a program of the caller's
    /// (FUSE).
    package func knownStatus(of file: Int32) throws(Errno) -> FileStatus {
        try Errno.uninterrupted { () throws(Errno) in try statx(file) }
    }

    /// The status of the file at a path; symbolic links are followed.
    package func status(at path: String, in folder: Int32) throws(Errno) -> FileStatus {
        try Errno.uninterrupted { () throws(Errno) in try fstatat(folder, path) }
    }

    /// The target of a symbolic link, at most ``longestPath`` bytes; ENAMETOOLONG for a longer one.
    package func link(at path: String, in folder: Int32) throws(Errno) -> [UInt8] {
        let limit = Self.longestPath
        return try withUnsafeTemporaryAllocation(of: CChar.self, capacity: limit + 1) { buffer throws(Errno) in
            let length = try Errno.uninterrupted { () throws(Errno) in try readlinkat(folder, path, buffer) }
            guard length <= limit else { throw .nameTooLong }
            return buffer[..<length].map { UInt8(bitPattern: $0) }
        }
    }

    /// The magic number of the file system that holds a file.
    package func fileSystem(of file: Int32) throws(Errno) -> UInt64 {
        try Errno.uninterrupted { () throws(Errno) in try fstatfs(file) }
    }

    package func names(in folder: String, limit: Int) throws(Errno) -> [String] { try names(folder, limit) }

    package func lock(_ file: Int32) throws(Errno) {
        try Errno.uninterrupted { () throws(Errno) in try flock(file) }
    }

    /// Opens the file of a lock, makes it where it is missing, and takes the lock; nil where another process has it.
    package func lock(at path: String, _ mode: OpenMode = .lock) throws(Errno) -> Descriptor? {
        let file = try open(path, in: AT_FDCWD, mode)
        do throws(Errno) { try lock(file.number) } catch .wouldBlock { return nil }
        return file
    }

    /// Reads at most `buffer.count` bytes from `offset`; returns 0 at the end.
    package func read(
        _ file: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(Errno) -> Int { try Errno.uninterrupted { () throws(Errno) in try pread(file, buffer, offset) } }

    /// Replaces the content of a file that nobody has read or written since it was opened.
    ///
    /// The content is not synced. Where the call fails, it may be neither the former nor the new one.
    package func overwrite(_ file: Int32, with content: [UInt8]) throws(Errno) {
        try Errno.uninterrupted { () throws(Errno) in try ftruncate(file, 0) }
        try content.withUnsafeBufferPointer { bytes throws(Errno) in
            try writeAll(file, UnsafeRawBufferPointer(bytes))
        }
    }

    package func setPermissions(of file: Int32, _ permissions: UInt32) throws(Errno) {
        try Errno.uninterrupted { () throws(Errno) in try fchmod(file, permissions) }
    }

    package func synchronize(_ file: Int32) throws(Errno) {
        try Errno.uninterrupted { () throws(Errno) in try fsync(file) }
    }

    package func rename(_ old: String, to new: String, in folder: Int32) throws(Errno) {
        try Errno.uninterrupted { () throws(Errno) in try renameat(folder, old, new) }
    }

    package func unlink(_ path: String, in folder: Int32) throws(Errno) {
        try Errno.uninterrupted { () throws(Errno) in try unlinkat(folder, path) }
    }

    /// The first `limit` bytes of the small file at a path.
    package func contents(of path: String, in folder: Int32, limit: Int) throws(Errno) -> [UInt8] {
        let file = try open(path, in: folder, .read)
        return try contents(of: file.number, limit: limit)
    }

    /// The first `limit` bytes of an open file.
    package func contents(of file: Int32, limit: Int) throws(Errno) -> [UInt8] {
        // Limits are far above usual sizes, so the buffer grows as bytes arrive.
        var bytes = [UInt8](repeating: 0, count: min(limit, 4096))
        var filled = 0
        while filled < limit {
            if filled == bytes.count { bytes += [UInt8](repeating: 0, count: min(filled, limit - filled)) }
            let count = try read(file, into: &bytes, from: filled)
            if count == 0 { break }
            filled += count
        }
        bytes.removeSubrange(filled...)
        return bytes
    }

    private func read(_ file: Int32, into bytes: inout [UInt8], from filled: Int) throws(Errno) -> Int {
        try bytes.withUnsafeMutableBufferPointer { buffer throws(Errno) in
            let rest = UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: buffer[filled...]))
            return try read(file, into: rest, at: Int64(filled))
        }
    }

    /// Writes all of `bytes`, in as many calls as needed.
    func writeAll(_ file: Int32, _ bytes: UnsafeRawBufferPointer) throws(Errno) {
        var written = 0
        while written < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
            let count = try Errno.uninterrupted { () throws(Errno) in try write(file, rest) }
            // A device that takes nothing and reports no error would make this loop endless.
            guard count > 0 else { throw .tookNothing }
            written += count
        }
    }
}
