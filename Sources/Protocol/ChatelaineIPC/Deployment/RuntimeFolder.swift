import ChatelaineModel
import ChatelaineSystem
import Glibc

/// The folder of the socket and of locks: the user's alone, wherever it is.
package struct RuntimeFolder: Sendable {
    package let path: String
    private let calls: FolderCalls

    package init(_ path: String, calls: FolderCalls = .system) {
        self.path = path
        self.calls = calls
    }

    /// Makes the folder and those above it where they are missing, and refuses one that is not this user's alone:
    /// in /tmp, anybody could have made it first.
    package func prepare() throws(KeychainError) {
        try Self.makeFolders(path, calls: calls)
        let status = try self.status()
        guard status.isFolder, status.owner == geteuid(), status.mode & 0o077 == 0 else {
            throw KeychainError(
                .notAvailable,
                "\(path) must be a folder of this user's, and no link, with mode 700; mend it with chown and chmod, or remove it"
            )
        }
    }

    /// Makes the folder where it is missing, and refuses one that belongs, or may be changed by, somebody else: what is
    /// inside could be exchanged.
    package func prepareUnshared() throws(KeychainError) {
        try Self.makeFolders(path, calls: calls)
        guard Self.isUnshared(try status()) else {
            throw KeychainError(
                .notAvailable,
                "\(path) must be a folder of this user's, and no link, that nobody else can write to; mend it with chown "
                    + "and chmod, or put the folder itself in its place")
        }
    }

    /// Whether it is there, a folder and no link, this user's, and nobody else's to change.
    package var isUnshared: Bool { (try? calls.lstat(path)).map(Self.isUnshared) ?? false }

    private static func isUnshared(_ status: FolderCalls.Status) -> Bool {
        status.isFolder && status.owner == geteuid() && status.mode & 0o022 == 0
    }

    private func status() throws(KeychainError) -> FolderCalls.Status {
        do throws(Errno) { return try calls.lstat(path) } catch { throw KeychainError(system: error.code, path) }
    }

    /// What keeps this user from reading and writing in a folder that is there, or from making it: the path at fault, and the
    /// system's error; nil where nothing is seen.
    package static func fault(_ path: String, calls: FolderCalls = .system) -> KeychainError? {
        let status: FolderCalls.Status
        do throws(Errno) { status = try calls.lstat(path) } catch {
            guard error == .notFound, path != "/", let slash = path.lastIndex(of: "/") else {
                return KeychainError(system: error.code, path)
            }
            return fault(slash == path.startIndex ? "/" : String(path[..<slash]), calls: calls)
        }
        guard status.isFolder || status.isLink else { return KeychainError(system: ENOTDIR, path) }
        do throws(Errno) { try calls.access(path) } catch { return KeychainError(system: error.code, path) }
        return (try? calls.isFull(path)) == true ? KeychainError(system: ENOSPC, path) : nil
    }

    /// mkdir -p with mode 700; what is made is durable.
    package static func makeFolders(_ path: String, calls: FolderCalls = .system) throws(KeychainError) {
        var partial = ""
        // By bytes, as the kernel does: an accent after a slash makes no other character of it.
        for component in path.utf8.split(separator: UInt8(ascii: "/")) {
            let parent = partial
            partial += "/" + Substring(component)
            do throws(Errno) { try calls.mkdir(partial) } catch .exists { continue } catch {
                guard (try? calls.stat(partial)) != nil else { throw KeychainError(system: error.code, partial) }
                continue
            }
            try sync(parent.isEmpty ? "/" : parent, calls)
        }
    }

    /// Makes the folder's own name durable: an earlier attempt may have ended between making it and that.
    package func settle() throws(KeychainError) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return }
        try Self.sync(slash == path.startIndex ? "/" : String(path[..<slash]), calls)
    }

    private static func sync(_ path: String, _ calls: FolderCalls) throws(KeychainError) {
        do throws(Errno) {
            let folder: Int32
            // A folder that may be passed through but not read was not written to by us either.
            do throws(Errno) { folder = try calls.open(path) } catch .noAccess { return }
            defer { calls.close(folder) }
            try calls.fsync(folder)
        } catch {
            throw KeychainError(system: error.code, path)
        }
    }
}
