import ChatelaineModel
import ChatelaineSystem
import Glibc
import StoreEngine

/// A keychain's file in a folder that is not ours, opened by the program that named it, with its folder.
///
/// The kernel judges an open file by the rights of who opened it. So all that is written goes to this one file, as far as that program may write to
/// it, and no path is followed for it a second time (decision 0015).
package final class LentFile: Sendable {
    /// As much as a damaged database is looked through for; anybody can make a file of a terabyte that takes no room.
    package static let maximumBytes: Int64 = 1 << 30

    let path: String
    package let identity: FileIdentity
    private let file: Descriptor
    private let folder: Descriptor

    /// - Throws: `errSecInvalidKeychain` for what is no plain file of the user's own with one name, opened to be read and written, in the
    ///   folder that came with it, in which others cannot exchange it.
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
        // What is written would go to its end.
        guard flags & O_ACCMODE == O_RDWR, flags & O_APPEND == 0 else {
            throw Self.refused(path, "was not opened to be read and written")
        }
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

    /// How many names it has; none where it was removed.
    var links: Int { get throws(KeychainError) { Int(try status().st_nlink) } }

    package var size: Int64 { get throws(KeychainError) { Int64(try status().st_size) } }

    private func status() throws(KeychainError) -> stat {
        defer { withExtendedLifetime(self) {} }
        return try Self.status(of: file.number, path)
    }

    /// Keeps every other daemon from it, here and wherever its file system knows of locks, until ``unlock()`` or the end of this object.
    func lock() throws(KeychainError) {
        defer { withExtendedLifetime(self) {} }
        guard StoreFolder.repeated({ flock(file.number, LOCK_EX | LOCK_NB) }) == 0 else {
            guard errno != EWOULDBLOCK else {
                throw KeychainError(
                    .notAvailable,
                    "another securityd has \(path) open, here or on another machine. Lock it there, or use a copy of it"
                )
            }
            throw KeychainError(system: errno, path)
        }
    }

    func unlock() {
        flock(file.number, LOCK_UN)
        withExtendedLifetime(self) {}
    }

    /// Others may read names in it: takes that from them.
    func makePrivate() throws(KeychainError) {
        defer { withExtendedLifetime(self) {} }
        guard try status().st_mode & 0o077 != 0 else { return }
        guard StoreFolder.repeated({ fchmod(file.number, 0o600) }) == 0 else {
            throw KeychainError(system: errno, path)
        }
    }

    /// The bytes of the file, for what copies and compares them.
    func withContent<Answer>(_ body: (LentContent) throws(KeychainError) -> Answer) throws(KeychainError) -> Answer {
        defer { withExtendedLifetime(self) {} }
        return try body(LentContent(file: file.number, path: path))
    }

    /// A new file has its name on disk when this returns.
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

    private static func refused(_ path: String, _ why: String) -> KeychainError {
        KeychainError(.invalidKeychain, "\(path) \(why); nothing was changed")
    }

    /// What only the program that names a keychain can give.
    package static func needed(_ path: String) -> KeychainError {
        KeychainError(
            cause: .needsFile, "\(path) lies elsewhere, and no program has opened it for securityd; unlock it once more"
        )
    }
}
