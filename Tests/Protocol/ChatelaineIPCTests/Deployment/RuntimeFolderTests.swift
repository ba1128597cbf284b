import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import Foundation
import TestSupport
import Testing

/// Tests of the runtime folder: how it is made, and which folders are refused.
struct RuntimeFolderTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    func mode(_ path: String) -> mode_t {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    @Test func itIsMadeWithAllAboveIt() throws {
        let path = folder.path + "/a/b//c"
        try RuntimeFolder(path).prepare()
        for made in ["/a", "/a/b", "/a/b/c"] { #expect(mode(folder.path + made) == 0o700) }
        try RuntimeFolder(path).prepare()
    }

    @Test(arguments: [0o701, 0o710, 0o755, 0o777, 0o1777] as [mode_t])
    func foldersOthersCanEnterAreRefused(_ mode: mode_t) {
        let path = folder.path + "/open"
        mkdir(path, 0o700)
        chmod(path, mode)
        let error = #expect(throws: KeychainError.self) { try RuntimeFolder(path).prepare() }
        #expect(error?.status == .notAvailable && error?.reason.contains(path) == true)
    }

    @Test func linksAreRefused() {
        let path = folder.path + "/link"
        mkdir(folder.path + "/real", 0o700)
        symlink(folder.path + "/real", path)
        #expect(throws: KeychainError(.notAvailable, "")) { try RuntimeFolder(path).prepare() }
        symlink("/nowhere/at/all", folder.path + "/dangling")
        #expect(throws: KeychainError(.notAvailable, "")) { try RuntimeFolder(folder.path + "/dangling").prepare() }
    }

    @Test func filesAreRefused() throws {
        let path = folder.path + "/file"
        try Data().write(to: URL(fileURLWithPath: path))
        chmod(path, 0o600)
        #expect(throws: KeychainError(.notAvailable, "")) { try RuntimeFolder(path).prepare() }
        #expect(throws: KeychainError(.notAvailable, "")) { try RuntimeFolder(path + "/below").prepare() }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a folder away"))
    func foldersOfOthersAreRefused() {
        let path = folder.path + "/theirs"
        mkdir(path, 0o700)
        chown(path, 20001, 20001)
        #expect(throws: KeychainError(.notAvailable, "")) { try RuntimeFolder(path).prepare() }
    }

    // MARK: Calls that fail

    /// System calls of which one fails at a path.
    private func calls(
        mkdir: Int32? = nil, lstat: Int32? = nil, open: Int32? = nil, fsync: Int32? = nil, at path: String
    ) -> FolderCalls {
        let system = FolderCalls.system
        var calls = system
        if let mkdir {
            calls.mkdir = { asked throws(Errno) in
                guard asked == path else { return try system.mkdir(asked) }
                throw Errno(mkdir)
            }
        }
        if let lstat {
            calls.lstat = { asked throws(Errno) in
                guard asked == path else { return try system.lstat(asked) }
                throw Errno(lstat)
            }
        }
        if let open {
            calls.open = { asked throws(Errno) in
                guard asked == path else { return try system.open(asked) }
                throw Errno(open)
            }
        }
        if let fsync { calls.fsync = { _ throws(Errno) in throw Errno(fsync) } }
        return calls
    }

    @Test func whatCannotBeMadeIsSaid() throws {
        let path = folder.path + "/a/b"
        for (error, status) in [(ENOSPC, Status.notAvailable), (EROFS, .readOnly), (EIO, .ioError)] {
            let calls = calls(mkdir: error, at: folder.path + "/a")
            let thrown = #expect(throws: KeychainError.self) { try RuntimeFolder(path, calls: calls).prepare() }
            #expect(thrown?.status == status && thrown?.reason.contains(folder.path + "/a") == true, "\(error)")
        }
        // An existing folder need not be made, whatever error the system gives for making it.
        try RuntimeFolder(path).prepare()
        try RuntimeFolder(path, calls: calls(mkdir: EROFS, at: path)).prepare()
    }

    @Test func whatCannotBeLookedAtIsRefused() throws {
        let path = folder.path + "/a"
        try RuntimeFolder(path).prepare()
        let blind = RuntimeFolder(path, calls: calls(lstat: EIO, at: path))
        #expect(throws: KeychainError(.ioError, "")) { try blind.prepare() }
        #expect(throws: KeychainError(.ioError, "")) { try blind.prepareUnshared() }
        #expect(!blind.isUnshared && RuntimeFolder(path).isUnshared)
    }

    @Test func anotherUsersIsRefused() throws {
        let path = folder.path + "/theirs"
        try RuntimeFolder(path).prepare()
        var calls = FolderCalls.system
        calls.lstat = { asked throws(Errno) in
            var status = try FolderCalls.system.lstat(asked)
            status.owner += 1
            return status
        }
        let theirs = RuntimeFolder(path, calls: calls)
        #expect(throws: KeychainError(.notAvailable, "")) { try theirs.prepare() }
        #expect(throws: KeychainError(.notAvailable, "")) { try theirs.prepareUnshared() }
        #expect(!theirs.isUnshared)
    }

    @Test func aNameThatIsNotDurableIsAnError() throws {
        let path = folder.path + "/a"
        #expect(throws: KeychainError(.ioError, "")) {
            try RuntimeFolder(path, calls: calls(fsync: EIO, at: path)).prepare()
        }
        #expect(throws: KeychainError(.ioError, "")) {
            try RuntimeFolder(path, calls: calls(open: EIO, at: folder.path)).settle()
        }
        // A parent that can be entered but not read is not one that we wrote to.
        try RuntimeFolder(path, calls: calls(open: EACCES, at: folder.path)).settle()
    }

    @Test func theFaultOfAFolderIsFound() throws {
        let path = folder.path + "/a"
        try RuntimeFolder(path).prepare()
        #expect(RuntimeFolder.fault(path) == nil)
        var calls = FolderCalls.system
        calls.isFull = { _ in true }
        #expect(RuntimeFolder.fault(path, calls: calls)?.reason.hasPrefix(path) == true)
        calls.isFull = { _ throws(Errno) in throw Errno(EIO) }
        #expect(RuntimeFolder.fault(path, calls: calls) == nil, "what cannot be told is no fault")
        calls.access = { _ throws(Errno) in throw Errno(EROFS) }
        #expect(RuntimeFolder.fault(path, calls: calls)?.status == .readOnly)
        calls.lstat = { asked throws(Errno) in throw Errno(asked == path ? ENOENT : ELOOP) }
        #expect(RuntimeFolder.fault(path, calls: calls)?.reason.hasPrefix(folder.path + ":") == true)
    }
}
