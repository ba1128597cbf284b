import ChatelaineSystem
import Glibc
import Synchronization
import TestSupport
import Testing

/// The replacement of a small file leaves the old or the new file, whatever fails.
final class FileReplacementTests {
    private static let (old, new): ([UInt8], [UInt8]) = (Array("old".utf8), Array("what is new".utf8))
    private static let disk = Errno(EIO)

    private let folder: TemporaryFolder
    private let directory: Int32

    init() throws {
        folder = try TemporaryFolder()
        directory = try FileCalls.system.open(folder.path, in: AT_FDCWD, .folder).release()
    }

    deinit { close(directory) }

    private func replace(
        _ calls: FileCalls = .system, isReplacing: Bool = true, permissions: UInt32 = FileCalls.ownersOnly
    ) throws(FileFailure) {
        let result = Self.new.withUnsafeBytes { bytes in
            Result { () throws(FileFailure) in
                try calls.replace(
                    "file", in: directory, path: folder.path, draft: "file.new", isReplacing: isReplacing,
                    permissions: permissions, with: bytes)
            }
        }
        try result.get()
    }

    private func put(_ bytes: [UInt8], _ name: String = "file") { TemporaryFolder.write(folder(name), bytes) }

    private var content: [UInt8] { TemporaryFolder.read(folder("file")) }
    private var names: [String] { TemporaryFolder.names(in: folder.path) }

    private func failure(_ action: String, _ name: String?, _ error: Errno = FileReplacementTests.disk) -> FileFailure {
        FileFailure(error, action, name.map { folder($0) } ?? folder.path)
    }

    @Test func theNewOneTakesThePlace() throws {
        // An earlier crash left its draft behind.
        put([1, 2, 3], "file.new")
        try replace()
        #expect(content == Self.new && names == ["file"])
        put(Self.old)
        try replace(permissions: 0o640)
        var status = stat()
        #expect(content == Self.new && lstat(folder("file"), &status) == 0 && status.st_mode & 0o7777 == 0o640)
    }

    @Test func whatIsThereStaysWhereNothingMayBeReplaced() throws {
        try replace(isReplacing: false)
        #expect(content == Self.new)
        put(Self.old)
        #expect(throws: failure("looking for", "file", .exists)) { try replace(isReplacing: false) }
        #expect(content == Self.old && names == ["file"])
        // A file that cannot be looked up may exist.
        var calls = FileCalls.system
        calls.openat = { folder, path, mode throws(Errno) in
            if mode == .read { throw .noAccess }
            return try FileCalls.system.openat(folder, path, mode)
        }
        #expect(throws: failure("looking for", "file", .noAccess)) { try replace(calls, isReplacing: false) }
        #expect(content == Self.old && names == ["file"])
    }

    @Test func whatFailsBeforeTheNameIsNewChangesNothing() throws {
        put(Self.old)
        var calls = FileCalls.system
        calls.write = { _, _ throws(Errno) in throw .noSpace }
        #expect(throws: failure("writing", "file.new", .noSpace)) { try replace(calls) }
        // The device takes no bytes and reports no error.
        calls.write = { _, _ in 0 }
        #expect(throws: failure("writing", "file.new", .tookNothing)) { try replace(calls) }
        calls = .system
        calls.fsync = { _ throws(Errno) in throw Self.disk }
        #expect(throws: failure("syncing", "file.new")) { try replace(calls) }
        calls = .system
        calls.renameat = { _, _, _ throws(Errno) in throw Self.disk }
        #expect(throws: failure("renaming a draft to", "file")) { try replace(calls) }
        calls = .system
        calls.unlinkat = { _, _ throws(Errno) in throw .noAccess }
        #expect(throws: failure("removing", "file.new", .noAccess)) { try replace(calls) }
        #expect(content == Self.old && names == ["file"])
    }

    /// Some file systems report a full disk only when a file is closed.
    @Test func aFailedCloseIsAFailure() throws {
        put(Self.old)
        var calls = FileCalls.system
        calls.close = { file throws(Errno) in
            try FileCalls.system.close(file)
            throw .overQuota
        }
        #expect(throws: failure("closing", "file.new", .overQuota)) { try replace(calls) }
        #expect(content == Self.old && names == ["file"])
    }

    /// Linux has released the descriptor by then, so a second close would close a descriptor of somebody else.
    @Test func aSignalDuringCloseIsNone() throws {
        let closes = Mutex(0)
        var calls = FileCalls.system
        calls.close = { file throws(Errno) in
            closes.withLock { $0 += 1 }
            try FileCalls.system.close(file)
            throw .interrupted
        }
        try replace(calls)
        #expect(content == Self.new && closes.withLock { $0 } == 1)
    }

    @Test func theNewOneMayBeThereWhereTheFolderIsNotSynced() throws {
        put(Self.old)
        let syncs = Mutex(0)
        var calls = FileCalls.system
        calls.fsync = { file throws(Errno) in
            let count = syncs.withLock { syncs in
                syncs += 1
                return syncs
            }
            // The draft is synced first, then the folder.
            if count == 2 { throw Self.disk }
            try FileCalls.system.fsync(file)
        }
        #expect(throws: failure("syncing", nil)) { try replace(calls) }
        #expect(content == Self.new && names == ["file"])
    }

    @Test func signalsAndFewBytesAtATimeAreNoFailure() throws {
        let writes = Mutex(0)
        var calls = FileCalls.system
        calls.write = { file, bytes throws(Errno) in
            let count = writes.withLock { writes in
                writes += 1
                return writes
            }
            if count % 2 == 1 { throw .interrupted }
            return try FileCalls.system.write(file, UnsafeRawBufferPointer(rebasing: bytes.prefix(2)))
        }
        try replace(calls)
        #expect(content == Self.new && writes.withLock { $0 } == 12)
    }
}
