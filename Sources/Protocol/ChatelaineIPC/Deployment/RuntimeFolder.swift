import ChatelaineModel
import Glibc

/// The folder of the socket and of locks: the user's alone, wherever it is.
package struct RuntimeFolder: Sendable {
    package let path: String

    package init(_ path: String) { self.path = path }

    /// Makes the folder and those above it where they are missing, and refuses one that is not this user's alone:
    /// in /tmp, anybody could have made it first.
    package func prepare() throws(KeychainError) {
        try Self.makeFolders(path)
        var status = stat()
        guard lstat(path, &status) == 0 else { throw KeychainError(system: errno, path) }
        guard status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid(), status.st_mode & 0o077 == 0 else {
            throw KeychainError(
                .notAvailable,
                "\(path) must be a folder of this user's, and no link, with mode 700; mend it with chown and chmod, or remove it"
            )
        }
    }

    /// Makes the folder where it is missing, and refuses one that belongs, or may be changed by, somebody else: what is
    /// inside could be exchanged.
    package func prepareUnshared() throws(KeychainError) {
        try Self.makeFolders(path)
        var status = stat()
        guard lstat(path, &status) == 0 else { throw KeychainError(system: errno, path) }
        guard Self.isUnshared(status) else {
            throw KeychainError(
                .notAvailable,
                "\(path) must be a folder of this user's, and no link, that nobody else can write to; mend it with chown "
                    + "and chmod, or put the folder itself in its place")
        }
    }

    /// Whether it is there, a folder and no link, this user's, and nobody else's to change.
    package var isUnshared: Bool {
        var status = stat()
        return lstat(path, &status) == 0 && Self.isUnshared(status)
    }

    private static func isUnshared(_ status: stat) -> Bool {
        status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid() && status.st_mode & 0o022 == 0
    }

    /// What keeps this user from reading and writing in a folder that is there, or from making it: the path at fault, and the
    /// system's error; nil where nothing is seen.
    package static func fault(_ path: String) -> KeychainError? {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            let error = errno
            guard error == ENOENT, path != "/", let slash = path.lastIndex(of: "/") else {
                return KeychainError(system: error, path)
            }
            return fault(slash == path.startIndex ? "/" : String(path[..<slash]))
        }
        guard status.st_mode & S_IFMT == S_IFDIR || status.st_mode & S_IFMT == S_IFLNK else {
            return KeychainError(system: ENOTDIR, path)
        }
        guard access(path, R_OK | W_OK | X_OK) == 0 else { return KeychainError(system: errno, path) }
        var system = statvfs()
        guard statvfs(path, &system) == 0, system.f_blocks > 0, system.f_bavail == 0 else { return nil }
        return KeychainError(system: ENOSPC, path)
    }

    /// mkdir -p with mode 700; what is made is durable.
    package static func makeFolders(_ path: String) throws(KeychainError) {
        var partial = ""
        // By bytes, as the kernel does: an accent after a slash makes no other character of it.
        for component in path.utf8.split(separator: UInt8(ascii: "/")) {
            let parent = partial
            partial += "/" + Substring(component)
            if mkdir(partial, 0o700) == 0 {
                try sync(parent.isEmpty ? "/" : parent)
                continue
            }
            guard errno != EEXIST else { continue }
            let error = errno
            var status = stat()
            guard stat(partial, &status) == 0 else { throw KeychainError(system: error, partial) }
        }
    }

    /// Makes the folder's own name durable: an earlier attempt may have ended between making it and that.
    package func settle() throws(KeychainError) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return }
        try Self.sync(slash == path.startIndex ? "/" : String(path[..<slash]))
    }

    private static func sync(_ path: String) throws(KeychainError) {
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        // A folder that may be passed through but not read was not written to by us either.
        if folder < 0, errno == EACCES { return }
        guard folder >= 0 else { throw KeychainError(system: errno, path) }
        defer { close(folder) }
        guard fsync(folder) == 0 else { throw KeychainError(system: errno, path) }
    }
}
