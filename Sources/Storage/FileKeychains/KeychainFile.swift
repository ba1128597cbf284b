import ChatelaineModel
import ChatelaineSystem
import Glibc
import StoreEngine

/// A keychain's file at its path, checked before any of its contents is used.
///
/// The file must be a plain file of the user. Links are not followed: whoever may make one in the folder could choose
/// which file is written.
package struct KeychainFile: Sendable {
    let path: String
    let identity: FileIdentity
    /// The number of names of the file; one of them is the check-out's while the keychain is open.
    let links: Int

    /// Checks the file at a path.
    ///
    /// - Parameter mayBeRoots: whether root may own the file, which then is only read, by its path.
    /// - Throws: `errSecNoSuchKeychain` without a file, `errSecInvalidKeychain` for anything but a plain file of the
    ///   user.
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

    /// Makes the value of a lent file, which was checked when it was lent.
    init(_ lent: LentFile) throws(KeychainError) { (path, identity, links) = (lent.path, lent.identity, 1) }

    /// The status of the file at a path, without following a link; nil without a file.
    ///
    /// An unreadable path is an error.
    static func status(of path: String) throws(KeychainError) -> stat? {
        var status = stat()
        if StoreFolder.repeated({ lstat(path, &status) }) == 0 { return status }
        guard errno == ENOENT || errno == ENOTDIR else { throw KeychainError(system: errno, path) }
        return nil
    }

    /// The identity of the file at a path; nil without a file.
    package static func identity(at path: String) throws(KeychainError) -> FileIdentity? {
        try status(of: path).map { FileIdentity($0) }
    }

    /// Gives a file a second name, at which no file may stand.
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

    /// The ending of each keychain's name in the daemon's folder.
    private static let suffix = "-db"

    /// The error of a missing keychain in the daemon's folder, where every name is used with its ending.
    ///
    /// A file that was moved there may lack the ending, and no name leads to it. It is not opened in place of the
    /// missing one, since a keychain of that name may yet be made.
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

    /// Checks that others cannot exchange the file: only the user may write to the folder, or its sticky bit is set.
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

    /// Whether the file is writable, as far as modes and the kind of mount say.
    static func isWritable(_ path: String) -> Bool {
        StoreFolder.repeated { access(path, W_OK) } == 0 && StoreFolder.repeated { access(folder(of: path), W_OK) } == 0
    }

    package static func name(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
        return String(path[path.utf8.index(after: slash)...])
    }

    package static func folder(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    /// Removes the access of other users, who could read names in the file; a file that came by mail may have it.
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
