import ChatelaineSystem
import Foundation
import Synchronization
import SystemCalls

@testable import CallerIdentity

/// The real system, in which chosen calls fail or return false values.
final class FakeSystem: Sendable {
    enum Call {
        case open, status, link, view, mounts, fileSystem, accessList, read, write, synchronize, rename, unlink,
            hasEnded,
            pidfd
    }

    private let fault: @Sendable (Call, String) -> Errno?
    let magic: UInt64?
    let isProvided: Bool?
    let shortWrites: Bool
    let hidesMemory: Bool
    private let clock = Mutex<Int64?>(nil)
    private let counts = Mutex<[String: Int]>([:])

    /// - Parameter fault: Asked before each call with the path that it names, or "" where it names a descriptor.
    init(
        magic: UInt64? = nil, isProvided: Bool? = nil, shortWrites: Bool = false, hidesMemory: Bool = false,
        now: Int64? = nil,
        fault: @escaping @Sendable (Call, String) -> Errno? = { _, _ in nil }
    ) {
        self.fault = fault
        self.magic = magic
        self.isProvided = isProvided
        self.shortWrites = shortWrites
        self.hidesMemory = hidesMemory
        clock.withLock { $0 = now }
    }

    func set(now: Int64) { clock.withLock { $0 = now } }

    var total: Int { counts.withLock { $0.values.reduce(0, +) } }

    func count(_ call: Call) -> Int { counts.withLock { $0["\(call)"] ?? 0 } }

    private func ask(_ call: Call, _ path: String = "") throws(Errno) {
        counts.withLock { $0["\(call)", default: 0] += 1 }
        if let error = fault(call, path) { throw error }
    }

    var calls: IdentitySystemCalls {
        var calls = IdentitySystemCalls.system
        calls.files = files
        calls.processes.pidfdOpen = { [self] pid throws(Errno) in
            try ask(.pidfd)
            return try ProcessCalls.system.pidfdOpen(pid)
        }
        calls.processes.hasEnded = { [self] pidfd throws(Errno) in
            try ask(.hasEnded)
            return try ProcessCalls.system.hasEnded(pidfd)
        }
        calls.view = { [self] folder throws(Errno) in
            try ask(.view)
            guard hidesMemory else { return try IdentitySystemCalls.system.view(folder) }
            return ExecutableView(
                executable: try FileCalls.system.open("exe", in: folder, .lookThrough), before: Descriptor(-1),
                after: Descriptor(-1))
        }
        calls.isProvided = { [self] mount throws(Errno) in
            try ask(.mounts)
            if let isProvided { return isProvided }
            return try IdentitySystemCalls.system.isProvided(mount)
        }
        calls.hasMemory = { [self] table in
            do throws(Errno) { try ask(.read) } catch { return false }
            return IdentitySystemCalls.system.hasMemory(table)
        }
        calls.now = { [self] in clock.withLock { $0 } ?? IdentitySystemCalls.system.now() }
        return calls
    }

    var files: FileCalls {
        let real = FileCalls.system
        var files = real
        files.openat = { [self] folder, path, mode throws(Errno) in
            try ask(.open, path)
            return try real.openat(folder, path, mode)
        }
        files.fstat = { [self] file throws(Errno) in
            try ask(.status)
            return try real.fstat(file)
        }
        files.statx = { [self] file throws(Errno) in
            try ask(.status)
            return try real.statx(file)
        }
        files.fstatat = { [self] folder, path throws(Errno) in
            try ask(.status, path)
            return try real.fstatat(folder, path)
        }
        files.readlinkat = { [self] folder, path, buffer throws(Errno) in
            try ask(.link, path)
            return try real.readlinkat(folder, path, buffer)
        }
        files.fstatfs = { [self] file throws(Errno) in
            try ask(.fileSystem)
            if let magic { return magic }
            return try real.fstatfs(file)
        }
        files.hasAccessList = { [self] file throws(Errno) in
            try ask(.accessList)
            return try real.hasAccessList(file)
        }
        files.pread = { [self] file, buffer, offset throws(Errno) in
            try ask(.read)
            return try real.pread(file, buffer, offset)
        }
        files.write = { [self] file, bytes throws(Errno) in
            try ask(.write)
            return try real.write(file, shortWrites ? UnsafeRawBufferPointer(rebasing: bytes.prefix(7)) : bytes)
        }
        files.fsync = { [self] file throws(Errno) in
            try ask(.synchronize)
            try real.fsync(file)
        }
        files.renameat = { [self] folder, old, new throws(Errno) in
            try ask(.rename, new)
            try real.renameat(folder, old, new)
        }
        files.unlinkat = { [self] folder, path throws(Errno) in
            try ask(.unlink, path)
            try real.unlinkat(folder, path)
        }
        return files
    }
}
