import ChatelaineModel
import ChatelaineSystem
import Glibc

/// A folder whose files everybody may read, whatever the umask of the writing program is.
///
/// When a call returns, the file is on disk. When a call fails, the former content is still there.
package struct PublicFolder: Sendable {
    private static let fileMode: UInt32 = 0o644
    private static let folderMode: UInt32 = 0o755

    package let path: String
    private let files: FileCalls

    package init(at path: String, files: FileCalls = .system) { (self.path, self.files) = (path, files) }

    /// Writes a file, and replaces one of the same name. Missing folders are made: this one and its parent.
    package func write(_ text: String, to name: String) throws(KeychainError) {
        do throws(Errno) {
            for path in [parent, path] { try make(path) }
            let folder = try files.open(path, in: AT_FDCWD, .folderThrough)
            do throws(FileFailure) {
                try files.replace(
                    name, in: folder.number, path: path, draft: name + ".new", permissions: Self.fileMode,
                    with: Array(text.utf8))
            } catch { throw error.error }
        } catch { throw KeychainError(system: error.code, "writing what is trusted", "\(path)/\(name)") }
    }

    package func has(_ name: String) throws(KeychainError) -> Bool {
        do throws(Errno) {
            _ = try files.open("\(path)/\(name)", in: AT_FDCWD, .read)
            return true
        } catch .notFound {
            return false
        } catch { throw KeychainError(system: error.code, "reading what is trusted", "\(path)/\(name)") }
    }

    /// The status of what has that name, be it a link; nil where there is nothing.
    package func status(of name: String) throws(Errno) -> FileStatus? {
        do throws(Errno) {
            let file = try files.open("\(path)/\(name)", in: AT_FDCWD, .look)
            return try files.status(of: file.number)
        } catch .notFound { return nil } catch .notFolder { return nil }
    }

    /// - Returns: whether there was a file of that name.
    @discardableResult
    package func remove(_ name: String) throws(KeychainError) -> Bool {
        do throws(Errno) {
            let folder = try files.open(path, in: AT_FDCWD, .folderThrough)
            try files.unlink(name, in: folder.number)
            try files.synchronize(folder.number)
            return true
        } catch .notFound {
            return false
        } catch { throw KeychainError(system: error.code, "removing what was trusted", "\(path)/\(name)") }
    }

    /// The names in the folder, up to `limit`; empty where the folder is missing.
    package func names(limit: Int) throws(KeychainError) -> [String] {
        do throws(Errno) { return try files.names(in: path, limit: limit) } catch .notFound { return [] } catch {
            throw KeychainError(system: error.code, "reading what is trusted", path)
        }
    }

    /// - Throws: where the file is missing, or has more than `limit` bytes.
    package func contents(of name: String, limit: Int) throws(KeychainError) -> [UInt8] {
        do throws(Errno) {
            let file = try files.open("\(path)/\(name)", in: AT_FDCWD, .read)
            return try files.contents(of: file.number, limit: limit)
        } catch { throw KeychainError(system: error.code, "reading what is trusted", "\(path)/\(name)") }
    }

    /// Locks the folder against other processes that ask, for as long as the result lives.
    ///
    /// The file of the lock is beside the folder. Only its owner can open it, so that nobody else can hold it.
    ///
    /// - Throws: `errSecNotAvailable` where another process has it for so many seconds.
    package func lock(seconds: Int) throws(KeychainError) -> Descriptor {
        let file = path + ".lock"
        do throws(Errno) {
            try make(parent)
            for _ in 0...(seconds * 1000 / Self.lockPause) {
                if let lock = try files.lock(at: file) { return lock }
                poll(nil, 0, Int32(Self.lockPause))
            }
        } catch { throw KeychainError(system: error.code, "locking what is trusted", file) }
        throw KeychainError(
            .notAvailable, "another command has changed what is trusted for \(seconds) s, and holds \(file); try again")
    }

    /// The milliseconds between two looks at a lock.
    private static let lockPause = 100

    /// Makes a folder; an existing folder keeps its permissions.
    private func make(_ path: String) throws(Errno) {
        do throws(Errno) { try files.makeFolder(path, in: AT_FDCWD) } catch .exists { return }
        let folder = try files.open(path, in: AT_FDCWD, .folder)
        try files.setPermissions(of: folder.number, Self.folderMode)
        let above = try files.open("\(path)/..", in: AT_FDCWD, .folder)
        try files.synchronize(above.number)
    }

    private var parent: String { path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "." }
}
