import Foundation
import Synchronization

@testable import CallerIdentity

/// The real system with chosen calls failing or lying.
final class FakeSystem: SystemCalls {
    enum Call {
        case open, status, link, glimpse, mounts, fileSystem, accessList, read, write, synchronize, rename, unlink,
            hasEnded,
            pidfd
    }

    private let real = LinuxCalls()
    private let fault: @Sendable (Call, String) -> Errno?
    let magic: UInt64?
    let isProvided: Bool?
    let shortWrites: Bool
    let hidesMemory: Bool
    private let clock = Mutex<Int64?>(nil)
    private let calls = Mutex<[String: Int]>([:])

    /// - Parameter fault: asked before each call with the path it names, or "" where it names a descriptor.
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

    var total: Int { calls.withLock { $0.values.reduce(0, +) } }

    func count(_ call: Call) -> Int { calls.withLock { $0["\(call)"] ?? 0 } }

    private func ask(_ call: Call, _ path: String = "") throws(Errno) {
        calls.withLock { $0["\(call)", default: 0] += 1 }
        if let error = fault(call, path) { throw error }
    }

    func open(_ path: String, in folder: Int32, _ mode: OpenMode) throws(Errno) -> Descriptor {
        try ask(.open, path)
        return try real.open(path, in: folder, mode)
    }
    func status(of descriptor: Int32) throws(Errno) -> FileStatus {
        try ask(.status)
        return try real.status(of: descriptor)
    }
    func knownStatus(of descriptor: Int32) throws(Errno) -> FileStatus {
        try ask(.status)
        return try real.knownStatus(of: descriptor)
    }
    func status(at path: String, in folder: Int32) throws(Errno) -> FileStatus {
        try ask(.status, path)
        return try real.status(at: path, in: folder)
    }
    func link(at path: String, in folder: Int32) throws(Errno) -> [UInt8] {
        try ask(.link, path)
        return try real.link(at: path, in: folder)
    }
    func glimpse(of folder: Int32) throws(Errno) -> Glimpse {
        try ask(.glimpse)
        guard hidesMemory else { return try real.glimpse(of: folder) }
        return Glimpse(
            executable: try real.open("exe", in: folder, .lookThrough), before: Descriptor(adopting: -1),
            after: Descriptor(adopting: -1))
    }
    func fileSystem(of descriptor: Int32) throws(Errno) -> UInt64 {
        try ask(.fileSystem)
        if let magic { return magic }
        return try real.fileSystem(of: descriptor)
    }
    func isProvided(mount: UInt64) throws(Errno) -> Bool {
        try ask(.mounts)
        if let isProvided { return isProvided }
        return try real.isProvided(mount: mount)
    }
    func hasAccessList(_ descriptor: Int32) throws(Errno) -> Bool {
        try ask(.accessList)
        return try real.hasAccessList(descriptor)
    }
    func hasMemory(_ table: Int32) -> Bool {
        do throws(Errno) { try ask(.read) } catch { return false }
        return real.hasMemory(table)
    }
    func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(Errno) -> Int {
        try ask(.read)
        return try real.read(descriptor, into: buffer, at: offset)
    }
    func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) throws(Errno) -> Int {
        try ask(.write)
        return try real.write(descriptor, shortWrites ? UnsafeRawBufferPointer(rebasing: bytes.prefix(7)) : bytes)
    }
    func synchronize(_ descriptor: Int32) throws(Errno) {
        try ask(.synchronize)
        try real.synchronize(descriptor)
    }
    func rename(_ old: String, to new: String, in folder: Int32) throws(Errno) {
        try ask(.rename, new)
        try real.rename(old, to: new, in: folder)
    }
    func unlink(_ path: String, in folder: Int32) throws(Errno) {
        try ask(.unlink, path)
        try real.unlink(path, in: folder)
    }
    func hasEnded(pidfd: Int32) throws(Errno) -> Bool {
        try ask(.hasEnded)
        return try real.hasEnded(pidfd: pidfd)
    }
    func pidfd(of pid: Int32) throws(Errno) -> Descriptor {
        try ask(.pidfd)
        return try real.pidfd(of: pid)
    }
    var now: Int64 { clock.withLock { $0 } ?? real.now }
    var uptime: Int64 { clock.withLock { $0 } ?? real.uptime }
}
