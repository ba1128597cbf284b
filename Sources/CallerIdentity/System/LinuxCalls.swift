import CChatelaine
import Glibc

/// The real system.
///
/// SAFETY, for the whole file: paths are passed as C strings that Swift keeps alive for the call; `stat` and pointers
/// are to local variables; buffers carry their own length.
struct LinuxCalls: SystemCalls {
    func open(_ path: String, in folder: Int32, _ mode: OpenMode) throws(Errno) -> Descriptor {
        let quiet = O_CLOEXEC | O_NOCTTY | O_NONBLOCK
        let number = try repeated {
            switch mode {
            case .look: chatelaine_open_path(folder, path, 0)
            case .lookThrough: chatelaine_open_path(folder, path, 1)
            case .read: openat(folder, path, O_RDONLY | O_NOFOLLOW | quiet)
            case .readThrough: openat(folder, path, O_RDONLY | quiet)
            case .create: openat(folder, path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
            }
        }
        return Descriptor(adopting: number)
    }

    func status(of descriptor: Int32) throws(Errno) -> FileStatus {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .last }
        return FileStatus(status)
    }

    func knownStatus(of descriptor: Int32) throws(Errno) -> FileStatus {
        var status = stat()
        guard chatelaine_known_status(descriptor, &status) == 0 else { throw .last }
        return FileStatus(status)
    }

    func status(at path: String, in folder: Int32) throws(Errno) -> FileStatus {
        var status = stat()
        guard fstatat(folder, path, &status, 0) == 0 else { throw .last }
        return FileStatus(status)
    }

    func link(at path: String, in folder: Int32) throws(Errno) -> [UInt8] {
        let limit = CanonicalPath.longest
        return try withUnsafeTemporaryAllocation(of: CChar.self, capacity: limit + 1) { buffer throws(Errno) in
            guard let base = buffer.baseAddress else { throw .nameTooLong }
            let length = readlinkat(folder, path, base, buffer.count)
            guard length >= 0 else { throw .last }
            guard length <= limit else { throw .nameTooLong }
            return buffer[..<length].map { UInt8(bitPattern: $0) }
        }
    }

    func glimpse(of folder: Int32) throws(Errno) -> Glimpse { try Glimpse(Sight.program.open(in: folder)) }

    func fileSystem(of descriptor: Int32) throws(Errno) -> UInt64 {
        var magic: UInt64 = 0
        _ = try repeated { chatelaine_file_system(descriptor, &magic) }
        return magic
    }

    func isProvided(mount: UInt64) throws(Errno) -> Bool { try MountTable.own.isProvided(mount) }

    func hasAccessList(_ descriptor: Int32) throws(Errno) -> Bool {
        try repeated { chatelaine_has_access_list(descriptor) } == 1
    }

    func hasMemory(_ table: Int32) -> Bool {
        // One entry, of page 0, where nothing ever is: it is read as long as there is memory, and a byte of it is refused as long.
        var entry: UInt64 = 0
        if MemoryTable.answersAtOnce { return pread(table, &entry, 1, 0) < 0 && errno == EINVAL }
        return pread(table, &entry, MemoryLayout<UInt64>.size, 0) == MemoryLayout<UInt64>.size
    }

    func read(
        _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(Errno) -> Int { try repeated { pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset)) } }

    func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int {
        try repeated { Glibc.write(descriptor, bytes.baseAddress, bytes.count) }
    }

    func synchronize(_ descriptor: Int32) throws(Errno) { _ = try repeated { fsync(descriptor) } }

    func rename(_ old: String, to new: String, in folder: Int32) throws(Errno) {
        _ = try repeated { renameat(folder, old, folder, new) }
    }

    func unlink(_ path: String, in folder: Int32) throws(Errno) { _ = try repeated { unlinkat(folder, path, 0) } }

    func hasEnded(pidfd: Int32) throws(Errno) -> Bool {
        var watched = pollfd(fd: pidfd, events: Int16(POLLIN), revents: 0)
        return try repeated { poll(&watched, 1, 0) } > 0
    }

    func pidfd(of pid: Int32) throws(Errno) -> Descriptor {
        Descriptor(adopting: try repeated { chatelaine_pidfd_open(pid) })
    }

    var now: Int64 { Self.nanoseconds(CLOCK_REALTIME) }

    var uptime: Int64 { Self.nanoseconds(CLOCK_MONOTONIC) }

    private static func nanoseconds(_ clock: clockid_t) -> Int64 {
        var time = timespec()
        clock_gettime(clock, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    private func repeated<Number: SignedInteger>(_ call: () -> Number) throws(Errno) -> Number {
        while true {
            let result = call()
            if result >= 0 { return result }
            guard errno == EINTR else { throw .last }
        }
    }
}
