import ChatelaineModel
import Glibc

/// The folder of one store: made durable before the first row, checked at every opening.
///
/// A store is one folder, so that moving it moves database and log together, and an old log never meets another
/// database. Only the daemon's account owns, reads and writes it (0700, files 0600).
package struct StoreFolder {
    let path: String
    /// Whether the folder was empty before, so that an empty database is no loss.
    let isNew: Bool

    var database: String { path + "/" + StoreFiles.database }

    /// Opens or makes the folder.
    ///
    /// - Throws: `errSecNotAvailable` for a folder or file that others may reach, or of a wrong kind; `errSecReadOnly`
    ///   where nothing can be made.
    init(_ path: String) throws(KeychainError) {
        self.path = path
        try Self.make(path)
        let folder = Self.repeated { open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW) }
        guard folder >= 0 else { throw KeychainError(file: path, "opening the folder") }
        defer { close(folder) }
        var status = stat()
        guard Self.repeated({ fstat(folder, &status) }) == 0 else {
            throw KeychainError(file: path, "looking at the folder")
        }
        try Self.check(status, path, kind: S_IFDIR)
        let names = try Self.names(in: path)
        isNew = names.isEmpty
        if isNew {
            // The daemon makes the file with its own mode, before SQLite would make one that others can read.
            let flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
            let file = Self.repeated { openat(folder, StoreFiles.database, flags, 0o600) }
            guard file >= 0 else { throw KeychainError(file: path, "making the database") }
            close(file)
        } else {
            for name in names where name.hasPrefix(StoreFiles.database) || name == StoreFiles.earlierMark {
                // Not opened: closing a database's file drops the locks that SQLite holds on it in this process.
                if Self.repeated({ fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) }) != 0 {
                    // SQLite removes its log when the last connection closes.
                    if errno == ENOENT { continue }
                    throw KeychainError(file: path + "/" + name, "looking at the file")
                }
                try Self.check(status, path + "/" + name, kind: S_IFREG)
            }
        }
        // An earlier attempt may have ended before the sync. SQLite syncs the name of a log that it makes, and not of
        // one that it finds.
        guard Self.repeated({ fsync(folder) }) == 0 else { throw KeychainError(file: path, "syncing the folder") }
        try Self.sync(Self.parent(of: path))
    }

    /// The size of the database; 0 for one that was made and never written, or removed.
    var databaseSize: Int64 { get throws(KeychainError) { try Self.size(database) } }

    /// The size of a file; 0 without a file.
    ///
    /// Throws where the path cannot be read.
    static func size(_ path: String) throws(KeychainError) -> Int64 {
        var status = stat()
        if repeated({ stat(path, &status) }) == 0 { return Int64(status.st_size) }
        guard errno == ENOENT || errno == ENOTDIR else { throw KeychainError(file: path, "looking at the file") }
        return 0
    }

    /// Makes the folder and its missing parents, each durable in its own parent.
    static func make(_ path: String) throws(KeychainError) {
        var missing: [String] = []
        var current = path
        var status = stat()
        while repeated({ stat(current, &status) }) != 0 {
            guard errno == ENOENT, let slash = current.utf8.lastIndex(of: UInt8(ascii: "/")),
                slash != current.startIndex
            else {
                throw KeychainError(file: path, "looking for the folder")
            }
            missing.append(current)
            current = String(current[..<slash])
        }
        for folder in missing.reversed() {
            guard repeated({ mkdir(folder, 0o700) }) == 0 || errno == EEXIST else {
                throw KeychainError(file: folder, "making the folder")
            }
            let parent = repeated { open(current, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
            guard parent >= 0 else { throw KeychainError(file: current, "opening the folder") }
            defer { close(parent) }
            guard repeated({ fsync(parent) }) == 0 else { throw KeychainError(file: current, "syncing the folder") }
            current = folder
        }
    }

    static func check(_ status: stat, _ path: String, kind: mode_t) throws(KeychainError) {
        guard status.st_mode & S_IFMT == kind else {
            throw KeychainError(.notAvailable, "\(path) is not what the item store keeps there; move it away")
        }
        guard status.st_uid == geteuid() else {
            throw KeychainError(
                .notAvailable, "\(path) belongs to another user (\(status.st_uid)); use chown to give it back")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw KeychainError(
                .notAvailable, "other users may reach \(path); take that from them with “chmod go-rwx”")
        }
    }

    package static func names(in path: String) throws(KeychainError) -> [String] {
        guard let folder = opendir(path) else { throw KeychainError(file: path, "reading the folder") }
        defer { closedir(folder) }
        var names: [String] = []
        errno = 0
        while let entry = readdir(folder) {
            // SAFETY: the name is a C string inside the entry, which is valid until the next readdir.
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
            errno = 0
        }
        guard errno == 0 else { throw KeychainError(file: path, "reading the folder") }
        return names
    }
}
