import ChatelaineModel
import ChatelaineSystem
import Glibc

/// The folder of the socket and the locks, which belongs to this user alone wherever it lies.
package struct RuntimeFolder: Sendable {
    package let path: String
    private let calls: FolderCalls

    package init(_ path: String, calls: FolderCalls = .system) {
        self.path = path
        self.calls = calls
    }

    /// Makes the folder and its missing parents, and refuses a folder that others may use.
    ///
    /// In /tmp, anybody could have made the folder first.
    package func prepare() throws(KeychainError) {
        try Self.makeFolders(path, calls: calls)
        let status = try self.status()
        try requireOwn(status)
        guard status.mode & 0o077 == 0 else {
            throw KeychainError(.notAvailable, "\(path) is open to other users; close it: chmod 700 \(path)")
        }
    }

    private func requireOwn(_ status: FolderCalls.Status) throws(KeychainError) {
        guard status.isFolder else {
            throw KeychainError(
                .notAvailable, "\(path) is \(status.isLink ? "a link" : "no folder"), and has to be one: move it away")
        }
        guard status.owner == geteuid() else {
            throw KeychainError(
                .notAvailable,
                "\(path) belongs to another user, who may need it: leave it there, and name a folder of your own by CHATELAINE_HOME"
            )
        }
    }

    /// Makes the folder where it is missing, and refuses a folder that others own or may change.
    ///
    /// Others could replace the files in such a folder.
    package func prepareUnshared() throws(KeychainError) {
        try Self.makeFolders(path, calls: calls)
        let status = try self.status()
        try requireOwn(status)
        guard Self.isUnshared(status) else {
            throw KeychainError(
                .notAvailable, "other users may change what is in \(path); forbid it: chmod go-w \(path)")
        }
    }

    /// Whether the path is a folder and no link, belongs to this user, and cannot be changed by others.
    package var isUnshared: Bool { (try? calls.lstat(path)).map(Self.isUnshared) ?? false }

    private static func isUnshared(_ status: FolderCalls.Status) -> Bool {
        status.isFolder && status.owner == geteuid() && status.mode & 0o022 == 0
    }

    private func status() throws(KeychainError) -> FolderCalls.Status {
        do throws(Errno) { return try calls.lstat(path) } catch { throw KeychainError(system: error.code, path) }
    }

    /// The reason why this user cannot read and write in a folder, or make it: the path at fault and the system's
    /// error.
    ///
    /// Nil where no fault is found.
    package static func fault(_ path: String, calls: FolderCalls = .system) -> KeychainError? {
        let status: FolderCalls.Status
        do throws(Errno) { status = try calls.lstat(path) } catch {
            guard error == .notFound, path != "/", let slash = path.lastIndex(of: "/") else {
                return unusable(path, error)
            }
            return fault(slash == path.startIndex ? "/" : String(path[..<slash]), calls: calls)
        }
        guard status.isFolder || status.isLink else { return KeychainError(system: ENOTDIR, path) }
        do throws(Errno) { try calls.access(path) } catch { return unusable(path, error) }
        return (try? calls.isFull(path)) == true ? KeychainError(system: ENOSPC, path) : nil
    }

    /// Makes the folder and its missing parents with mode 700, durably.
    package static func makeFolders(_ path: String, calls: FolderCalls = .system) throws(KeychainError) {
        var partial = ""
        // Splits bytes, as the kernel does: as a character, a slash before a combining accent is no slash.
        for component in path.utf8.split(separator: UInt8(ascii: "/")) {
            let parent = partial
            partial += "/" + Substring(component)
            do throws(Errno) { try calls.mkdir(partial) } catch .exists { continue } catch {
                guard (try? calls.stat(partial)) != nil else { throw unusable(partial, error) }
                continue
            }
            try sync(parent.isEmpty ? "/" : parent, calls)
        }
    }

    /// The error of a folder that cannot be used; where this user may not, it says what to do.
    private static func unusable(_ path: String, _ error: Errno) -> KeychainError {
        let plain = KeychainError(system: error.code, path)
        guard [.noAccess, .notPermitted, .readOnly].contains(error) else { return plain }
        return KeychainError(
            cause: plain.cause, status: plain.status,
            "\(plain.reason); a user without a home of its own to write to, as of a service, needs another folder in CHATELAINE_HOME"
        )
    }

    /// Makes the folder's own name durable: an earlier attempt may have ended after mkdir(2) and before fsync(2).
    package func settle() throws(KeychainError) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return }
        try Self.sync(slash == path.startIndex ? "/" : String(path[..<slash]), calls)
    }

    private static func sync(_ path: String, _ calls: FolderCalls) throws(KeychainError) {
        do throws(Errno) {
            let folder: Int32
            // This user has made nothing in a folder that this user may not read, so that folder needs no sync.
            do throws(Errno) { folder = try calls.open(path) } catch .noAccess { return }
            defer { calls.close(folder) }
            try calls.fsync(folder)
        } catch {
            throw KeychainError(system: error.code, path)
        }
    }
}
