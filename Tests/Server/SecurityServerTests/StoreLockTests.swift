import ChatelaineModel
import ChatelaineSystem
import Glibc
import TestSupport
import Testing

@testable import SecurityServer

/// One daemon has a data folder, and its lock says where that daemon is.
struct StoreLockTests {
    private let folder: TemporaryFolder
    private var path: String { folder("daemon.lock") }
    private var content: String { String(decoding: TemporaryFolder.read(path), as: UTF8.self) }

    init() throws { folder = try TemporaryFolder() }

    @Test func oneHoldsItAndSaysWhere() throws {
        let lock = try #require(try StoreLock.take(folder: folder.path))
        #expect(try StoreLock.take(folder: folder.path) == nil)
        #expect(TemporaryFolder.mode(path) == 0o600)
        lock.announce(socketPath: "/run/a/securityd.sock")
        #expect(content == "/run/a/securityd.sock")
    }

    @Test func theNextOneWritesItsOwn() throws {
        TemporaryFolder.write(path, Array("/run/with/a/longer/path/securityd.sock".utf8))
        let lock = try #require(try StoreLock.take(folder: folder.path))
        lock.announce(socketPath: "/run/b.sock")
        #expect(content == "/run/b.sock")
    }

    @Test func aReadOnlyDiskIsNoError() throws {
        TemporaryFolder.write(path, Array("former".utf8))
        var files = FileCalls.system
        files.openat = { folder, path, mode throws(Errno) in
            if case .lock = mode { throw .readOnly }
            return try FileCalls.system.openat(folder, path, mode)
        }
        let lock = try #require(try StoreLock.take(folder: folder.path, files: files))
        #expect(try StoreLock.take(folder: folder.path) == nil)
        lock.announce(socketPath: "/run/a/securityd.sock")
        #expect(content == "former")
    }

    @Test func otherFailuresAre() {
        var files = FileCalls.system
        files.flock = { _ throws(Errno) in throw Errno(EIO) }
        #expect(throws: KeychainError.self) { try StoreLock.take(folder: folder.path, files: files) }
        files = .system
        files.openat = { _, _, _ throws(Errno) in throw .noAccess }
        #expect(throws: KeychainError.self) { try StoreLock.take(folder: folder.path, files: files) }
    }
}
