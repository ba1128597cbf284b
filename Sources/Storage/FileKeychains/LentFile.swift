import ChatelaineModel
import ChatelaineSystem
import Glibc
import StoreEngine
import Synchronization

/// A keychain's file outside of the daemon's folder, opened by the program that named it, with its folder.
///
/// The kernel judges an open file by the rights of the process that opened it. So all writes go to this one file, as
/// far as that program may write to it, and no path is followed again (decision 0015). A file that was opened only to
/// be read, as on a medium that is read-only, is never written: its keychain can be used and not changed.
package final class LentFile: Sendable {
    /// The size of the largest file, as many bytes as the salvage of a damaged database reads.
    ///
    /// Anybody can make a sparse file of a terabyte.
    package static let maximumBytes: Int64 = 1 << 30

    let path: String
    package let identity: FileIdentity
    let isReadOnly: Bool
    private let file: Descriptor
    private let folder: Descriptor
    private let isLocked = Atomic(false)

    /// Checks a lent file.
    ///
    /// - Throws: `errSecInvalidKeychain` unless the file is a plain file of the user with one name, opened for reading
    ///   or for both, in the folder that came with it. Others must not be able to exchange the file in that folder.
    package init(file: consuming Descriptor, folder: consuming Descriptor, path: String) throws(KeychainError) {
        let status = try Self.status(of: file.number, path)
        guard status.st_mode & S_IFMT == S_IFREG else { throw Self.refused(path, "is no plain file") }
        guard status.st_uid == geteuid() else {
            throw Self.refused(path, "belongs to another user (\(status.st_uid)); copy it to use it")
        }
        guard status.st_nlink == 1 else { throw Self.refused(path, "has more than one name; use a copy of it") }
        guard status.st_size <= Self.maximumBytes else {
            throw Self.refused(path, "is larger than \(Self.maximumBytes) bytes")
        }
        let flags = StoreFolder.repeated { fcntl(file.number, F_GETFL) }
        guard flags >= 0 else { throw KeychainError(system: errno, "asking how \(path) was opened") }
        // With `O_APPEND`, every write would go to the file's end.
        guard flags & O_ACCMODE != O_WRONLY, flags & O_APPEND == 0 else {
            throw Self.refused(path, "was not opened to be read and written")
        }
        isReadOnly = flags & O_ACCMODE == O_RDONLY
        let parent = try Self.status(of: folder.number, path)
        guard parent.st_mode & S_IFMT == S_IFDIR else { throw Self.refused(path, "came with no folder") }
        try KeychainFile.check(folder: parent, KeychainFile.folder(of: path))
        let identity = FileIdentity(status)
        let name = KeychainFile.name(of: path)
        var entry = stat()
        guard StoreFolder.repeated({ fstatat(folder.number, name, &entry, AT_SYMLINK_NOFOLLOW) }) == 0 else {
            throw errno == ENOENT ? KeychainFile.exchanged(path) : KeychainError(system: errno, path)
        }
        guard FileIdentity(entry) == identity else { throw KeychainFile.exchanged(path) }
        self.path = path
        self.identity = identity
        self.file = file
        self.folder = folder
    }

    /// The number of names of the file; 0 where it was removed.
    var links: Int { get throws(KeychainError) { Int(try status().st_nlink) } }

    package var size: Int64 { get throws(KeychainError) { Int64(try status().st_size) } }

    private func status() throws(KeychainError) -> stat {
        defer { withExtendedLifetime(self) {} }
        return try Self.status(of: file.number, path)
    }

    /// Locks the file against other daemons, here and wherever its file system knows of locks.
    ///
    /// Daemons that only read a file may share it. The lock ends with ``unlock()`` or with this object.
    func lock() throws(KeychainError) {
        defer { withExtendedLifetime(self) {} }
        guard StoreFolder.repeated({ flock(file.number, (isReadOnly ? LOCK_SH : LOCK_EX) | LOCK_NB) }) == 0 else {
            guard errno != EWOULDBLOCK else {
                throw KeychainError(
                    .notAvailable,
                    "another securityd has \(path) open, here or on another machine. Lock it there, or use a copy of it"
                )
            }
            throw KeychainError(system: errno, path)
        }
        isLocked.store(true, ordering: .relaxed)
    }

    /// Ends the lock, which others who have a copy of the descriptor would keep: the program that has lent it, and a
    /// process that was just forked.
    func unlock() {
        guard isLocked.exchange(false, ordering: .relaxed) else { return }
        flock(file.number, LOCK_UN)
        withExtendedLifetime(self) {}
    }

    deinit { if isLocked.load(ordering: .relaxed) { flock(file.number, LOCK_UN) } }

    /// Removes the access of other users, who could read names in the file.
    func makePrivate() throws(KeychainError) {
        defer { withExtendedLifetime(self) {} }
        let mode = try status().st_mode
        guard mode & 0o077 != 0 else { return }
        guard StoreFolder.repeated({ fchmod(file.number, isReadOnly ? mode & 0o700 : 0o600) }) == 0 else {
            // Whoever may read a medium that is read-only goes on doing so.
            if isReadOnly, errno == EROFS { return }
            throw KeychainError(system: errno, path)
        }
    }

    /// Runs `body` with the bytes of the file.
    func withContent<Answer>(_ body: (LentContent) throws(KeychainError) -> Answer) throws(KeychainError) -> Answer {
        defer { withExtendedLifetime(self) {} }
        return try body(LentContent(file: file.number, path: path))
    }

    /// Syncs the folder, so that the name of a new file is on disk.
    func syncFolder() throws(KeychainError) {
        defer { withExtendedLifetime(self) {} }
        guard StoreFolder.repeated({ fsync(folder.number) }) == 0 else {
            throw KeychainError(system: errno, KeychainFile.folder(of: path))
        }
    }

    private static func status(of file: Int32, _ path: String) throws(KeychainError) -> stat {
        var status = stat()
        guard StoreFolder.repeated({ fstat(file, &status) }) == 0 else {
            throw KeychainError(system: errno, path)
        }
        return status
    }

    /// Refuses a file that may not be written.
    ///
    /// - Throws: `errSecReadOnly`
    func requireWritable() throws(KeychainError) {
        if isReadOnly { throw Self.readOnly(path) }
    }

    /// The error of a change to a keychain whose file may not be written.
    static func readOnly(_ path: String) -> KeychainError {
        KeychainError(
            cause: .readOnly,
            "\(path) was opened only to be read, as the file, its disk or the program's rights allow no more. To change the keychain, make the file writable, lock the keychain, and unlock it"
        )
    }

    private static func refused(_ path: String, _ why: String) -> KeychainError {
        KeychainError(.invalidKeychain, "\(path) \(why); nothing was changed")
    }

    /// The error where the program that names a keychain has to lend its file first.
    package static func needed(_ path: String) -> KeychainError {
        KeychainError(
            cause: .needsFile, "\(path) lies elsewhere, and no program has opened it for securityd; unlock it once more"
        )
    }
}
