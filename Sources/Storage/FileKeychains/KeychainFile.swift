import ChatelaineSystem
import ChatelaineModel
import Glibc
import StoreEngine

/// A keychain's file as it stands at its path: what is demanded of it before anything in it is believed.
///
/// One of the user's own, with one name. Links are not followed: whoever may put one into a folder would choose which file is written.
package struct KeychainFile: Sendable {
    let path: String
    let identity: FileIdentity
    /// How many names it has; one of them is ours while it is open.
    let links: Int

    /// `errSecNoSuchKeychain` where nothing is, `errSecInvalidKeychain` for what is no file of the user's own.
    ///
    /// - Parameter mayBeRoots: where it is only read, by its path.
    init(_ path: String, mayBeRoots: Bool = false) throws(KeychainError) {
        try Self.checkFolder(of: path)
        guard let status = try Self.status(of: path) else { throw mayBeRoots ? Self.missing(path) : Self.absent(path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw KeychainError(
                .invalidKeychain, "\(path) is no plain file; a keychain is one, and links to one are not followed")
        }
        guard status.st_uid == geteuid() || mayBeRoots && status.st_uid == 0 else {
            throw KeychainError(
                .invalidKeychain, "\(path) belongs to another user (\(status.st_uid)); copy it to use it")
        }
        self.path = path
        identity = FileIdentity(status)
        links = Int(status.st_nlink)
    }

    /// One that was looked at when it was lent.
    init(_ lent: LentFile) throws(KeychainError) { (path, identity, links) = (lent.path, lent.identity, 1) }

    /// What stands at a path, a link itself and not what it leads to; nil for nothing. What cannot be looked at is not missing.
    static func status(of path: String) throws(KeychainError) -> stat? {
        var status = stat()
        if StoreFolder.repeated({ lstat(path, &status) }) == 0 { return status }
        guard errno == ENOENT || errno == ENOTDIR else { throw KeychainError(system: errno, path) }
        return nil
    }

    /// Which file stands at a path; nil for none.
    package static func identity(at path: String) throws(KeychainError) -> FileIdentity? {
        try status(of: path).map { FileIdentity($0) }
    }

    /// Gives a file a second name; nothing may stand there.
    static func link(_ path: String, as other: String) throws(KeychainError) {
        guard StoreFolder.repeated({ linkat(AT_FDCWD, path, AT_FDCWD, other, 0) }) == 0 else {
            throw KeychainError(system: errno, other)
        }
    }

    static func remove(_ path: String) throws(KeychainError) {
        guard StoreFolder.repeated({ unlink(path) }) == 0 || errno == ENOENT else {
            throw KeychainError(system: errno, path)
        }
    }

    static func missing(_ path: String) -> KeychainError {
        KeychainError(cause: .missing, status: .noSuchKeychain, "there is no keychain at \(path)")
    }

    /// At the end of each name in our folder.
    private static let suffix = "-db"

    /// The same of one in our folder, where every name is meant with its ending: a file that was moved there may lack that, and no name leads to
    /// it. It is not opened under the other name, which is that of the keychain that may be made there.
    private static func absent(_ path: String) -> KeychainError {
        let bare = String(path.dropLast(suffix.count))
        guard path.hasSuffix(suffix), let status = try? status(of: bare), status.st_mode & S_IFMT == S_IFREG else {
            return missing(path)
        }
        return KeychainError(
            cause: .missing, status: .noSuchKeychain,
            "there is no keychain at \(path), but a file \(bare); keychains in this folder have names that end in \(suffix): rename it to \(name(of: path))"
        )
    }

    /// Whoever may write to the folder may exchange the file: others may not, unless each may touch their own files alone.
    static func checkFolder(of path: String) throws(KeychainError) {
        let folder = folder(of: path)
        var status = stat()
        guard StoreFolder.repeated({ stat(folder, &status) }) == 0 else {
            guard errno == ENOENT || errno == ENOTDIR else { throw KeychainError(system: errno, folder) }
            throw KeychainError(
                cause: .missing, status: .noSuchKeychain, "the folder \(folder) is not there, and so no keychain in it")
        }
        try check(folder: status, folder)
    }

    static func check(folder status: stat, _ folder: String) throws(KeychainError) {
        let isOpen = status.st_mode & (S_IWGRP | S_IWOTH) != 0 && status.st_mode & S_ISVTX == 0
        guard status.st_uid == geteuid() || status.st_uid == 0, !isOpen else {
            throw KeychainError(
                .invalidKeychain,
                "others may exchange files in \(folder); keep keychains in a folder that only you can write to")
        }
    }

    /// As far as modes and the kind of mount say.
    static func isWritable(_ path: String) -> Bool {
        StoreFolder.repeated { access(path, W_OK) } == 0 && StoreFolder.repeated { access(folder(of: path), W_OK) } == 0
    }

    static func name(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
        return String(path[path.utf8.index(after: slash)...])
    }

    static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    /// Others may read names in it: takes that from them, as from files that came by mail.
    func makePrivate() throws(KeychainError) {
        let file = StoreFolder.repeated { open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK) }
        guard file >= 0 else { throw KeychainError(system: errno, path) }
        defer { close(file) }
        var status = stat()
        guard StoreFolder.repeated({ fstat(file, &status) }) == 0 else { throw KeychainError(system: errno, path) }
        guard FileIdentity(status) == identity else { throw Self.exchanged(path) }
        guard status.st_mode & 0o077 != 0 else { return }
        guard StoreFolder.repeated({ fchmod(file, 0o600) }) == 0 else { throw KeychainError(system: errno, path) }
    }

    static func exchanged(_ path: String) -> KeychainError {
        KeychainError(
            cause: .exchanged,
            "another file stands at \(path) than before; lock the keychain, and unlock the one that is there now")
    }
}
