/// Every system call on files and processes that this module makes, so that a test can make any of them fail.
///
/// A path is relative to `folder` unless it begins with "/". Calls interrupted by a signal are repeated inside.
protocol SystemCalls: Sendable {
    func open(_ path: String, in folder: Int32, _ mode: OpenMode) throws(Errno) -> Descriptor
    func status(of descriptor: Int32) throws(Errno) -> FileStatus
    /// What the kernel remembers of a file: its file system, which may be a program of the caller's, is not asked.
    func knownStatus(of descriptor: Int32) throws(Errno) -> FileStatus
    /// Follows symbolic links.
    func status(at path: String, in folder: Int32) throws(Errno) -> FileStatus
    /// What a symbolic link says, at most ``CanonicalPath/longest`` bytes; longer is ENAMETOOLONG.
    func link(at path: String, in folder: Int32) throws(Errno) -> [UInt8]
    /// What the process whose `/proc` folder is `folder` runs; EAGAIN where it could not be seen in one go.
    func glimpse(of folder: Int32) throws(Errno) -> Glimpse
    func fileSystem(of descriptor: Int32) throws(Errno) -> UInt64
    /// Whether the file system of a mount is a program of a user; true also for a mount that is none of this process's.
    func isProvided(mount: UInt64) throws(Errno) -> Bool
    func hasAccessList(_ descriptor: Int32) throws(Errno) -> Bool
    /// Whether the memory is there whose table `/proc/PID/pagemap` is.
    func hasMemory(_ table: Int32) -> Bool
    /// At most `buffer.count` bytes from `offset`; 0 at the end.
    func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(Errno) -> Int
    /// The number of bytes written, which may be fewer than given.
    func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int
    func synchronize(_ descriptor: Int32) throws(Errno)
    func rename(_ old: String, to new: String, in folder: Int32) throws(Errno)
    func unlink(_ path: String, in folder: Int32) throws(Errno)
    /// Whether the process behind a pidfd has ended (a zombie has).
    func hasEnded(pidfd: Int32) throws(Errno) -> Bool
    func pidfd(of pid: Int32) throws(Errno) -> Descriptor
    /// Nanoseconds since 1970, by the clock that stamps files.
    var now: Int64 { get }
    /// Nanoseconds since some moment; never set back.
    var uptime: Int64 { get }
}

extension SystemCalls {
    /// Who keeps what a descriptor shows. Where that is a program of a user, the program is not asked.
    func kind(of descriptor: Int32) throws(Errno) -> FileSystemKind {
        let mount = try ProcessFacts.mount(of: descriptor, system: self)
        guard try !isProvided(mount: mount) else { return .provided }
        return FileSystemKind(magic: try fileSystem(of: descriptor))
    }

    /// The whole of a small file, or its first `limit` bytes.
    func contents(of path: String, in folder: Int32, limit: Int) throws(Errno) -> [UInt8] {
        let file = try open(path, in: folder, .read)
        return try contents(of: file.number, limit: limit)
    }

    func contents(of descriptor: Int32, limit: Int) throws(Errno) -> [UInt8] {
        // Limits are far above what is usually there: room is made as bytes come.
        var bytes = [UInt8](repeating: 0, count: min(limit, 4096))
        var filled = 0
        while filled < limit {
            if filled == bytes.count { bytes += [UInt8](repeating: 0, count: min(filled, limit - filled)) }
            let count = try read(descriptor, into: &bytes, from: filled)
            if count == 0 { break }
            filled += count
        }
        bytes.removeSubrange(filled...)
        return bytes
    }

    private func read(_ descriptor: Int32, into bytes: inout [UInt8], from filled: Int) throws(Errno) -> Int {
        var outcome: Result<Int, Errno> = .success(0)
        bytes.withUnsafeMutableBytes { buffer in
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
            do throws(Errno) {
                outcome = .success(try read(descriptor, into: rest, at: Int64(filled)))
            } catch { outcome = .failure(error) }
        }
        return try outcome.get()
    }

    /// Writes all of `bytes`, however few each call takes.
    func writeAll(_ descriptor: Int32, _ bytes: [UInt8]) throws(Errno) {
        var written = 0
        while written < bytes.count {
            var outcome: Result<Int, Errno> = .success(0)
            bytes.withUnsafeBytes { buffer in
                do throws(Errno) {
                    outcome = .success(try write(descriptor, UnsafeRawBufferPointer(rebasing: buffer[written...])))
                } catch { outcome = .failure(error) }
            }
            let count = try outcome.get()
            // A device that takes nothing and reports no error would keep us here for ever.
            guard count > 0 else { throw .tookNothing }
            written += count
        }
    }
}
