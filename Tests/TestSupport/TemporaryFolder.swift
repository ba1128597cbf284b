import Glibc
import Synchronization

/// A folder for one test, removed with its contents when the test releases this object, or when its process exits.
///
/// Its path is short, because the path of a socket has a limit.
package final class TemporaryFolder: Sendable {
    package let path: String

    /// - Parameters:
    ///   - parent: the folder in which it is made.
    ///   - owner: the owner of the folder, if another; needs root.
    package init(in parent: String = "/tmp", mode: mode_t = 0o700, owner: uid_t? = nil) throws {
        var template = Array("\(parent)/cl-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw SystemError("making a folder in \(parent)") }
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        guard chmod(path, mode) == 0 else { throw SystemError("changing the mode of \(path)") }
        if let owner, chown(path, owner, owner) != 0 { throw SystemError("giving \(path) to \(owner)") }
        Self.removeAtExit(path)
    }

    deinit {
        Self.left.withLock { _ = $0.remove(path) }
        Self.remove(path)
    }

    /// The folders of this process that exist.
    private static let left = Mutex<Set<String>>([])
    /// The process that removes them; a forked child leaves its parent's alone.
    private static let owner: pid_t = {
        atexit {
            guard getpid() == TemporaryFolder.owner else { return }
            for path in TemporaryFolder.left.withLock({ $0 }) { TemporaryFolder.remove(path) }
        }
        return getpid()
    }()

    private static func removeAtExit(_ path: String) {
        _ = owner
        left.withLock { _ = $0.insert(path) }
    }

    package func callAsFunction(_ name: String) -> String { path + "/" + name }

    /// Removes a file, or a folder with everything in it; a symbolic link is never followed.
    package static func remove(_ path: String) {
        if unlink(path) == 0 { return }
        for name in names(in: path) { remove("\(path)/\(name)") }
        rmdir(path)
    }

    package static func names(in path: String) -> [String] {
        guard let folder = opendir(path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            // SAFETY: the name is a C string inside the entry, which is valid until the next readdir.
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// Reads the first megabyte of a file; empty where the file does not exist.
    package static func read(_ path: String) -> [UInt8] {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return [] }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        let count = Glibc.read(file, &bytes, bytes.count)
        return Array(bytes.prefix(max(count, 0)))
    }

    package static func write(_ path: String, _ bytes: [UInt8]) {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { return }
        defer { close(file) }
        _ = Glibc.write(file, bytes, bytes.count)
    }

    package static func mode(_ path: String) -> mode_t {
        var status = stat()
        return lstat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
    }
}
