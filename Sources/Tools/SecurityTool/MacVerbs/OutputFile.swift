import ChatelaineModel
import ChatelaineSystem
import Glibc

/// A file that a verb writes, which replaces an existing one when it is complete.
///
/// It keeps neither the owner nor other hard links of the former file. A pipe or device is written to directly.
final class OutputFile {
    /// Readable by the user only, since the file may contain secrets.
    static let secretMode: UInt32 = 0o600
    static let publicMode: UInt32 = 0o644

    let output: Output
    private let path: String
    private let mode: UInt32
    private let files: FileCalls
    private let file: Descriptor
    /// The folder of the complete file; a negative number if the target is no regular file.
    private let folder: Descriptor
    private let name: String
    private var isFinished = false

    private init(
        _ path: String, _ mode: UInt32, _ files: FileCalls, _ file: consuming Descriptor,
        _ folder: consuming Descriptor, _ name: String
    ) {
        (self.path, self.mode, self.files, self.name) = (path, mode, files, name)
        output = Output(descriptor: file.number, isTerminal: false, path: path)
        self.file = file
        self.folder = folder
    }

    /// A file that was not finished is removed.
    deinit { if folder.number >= 0, !isFinished { try? files.unlink(Self.draft(name), in: folder.number) } }

    /// - Parameter mode: the permissions of the file, whatever the umask is.
    static func open(_ path: String, mode: UInt32, files: FileCalls = .system) throws(ToolError) -> OutputFile {
        do throws(Errno) {
            if let file = try existing(path) { return OutputFile(path, mode, files, file, Descriptor(-1), "") }
            let (place, name) = split(path)
            guard !name.isEmpty else { throw .notFound }
            let folder = try files.open(place, in: AT_FDCWD, .folderThrough)
            do throws(Errno) { try files.unlink(draft(name), in: folder.number) } catch .notFound {}
            let file = try files.open(draft(name), in: folder.number, .create)
            return OutputFile(path, mode, files, file, folder, name)
        } catch { throw failure(path, error) }
    }

    /// Moves the complete file to its place, on disk.
    func finish() throws(ToolError) {
        guard folder.number >= 0 else { return }
        do throws(Errno) {
            try files.setPermissions(of: file.number, mode)
            try files.synchronize(file.number)
            try files.rename(Self.draft(name), to: name, in: folder.number)
            isFinished = true
            try files.synchronize(folder.number)
        } catch { throw Self.failure(path, error) }
    }

    /// The name is fixed, so that the next attempt overwrites what a crash left behind.
    private static func draft(_ name: String) -> String { ".\(name).chatelaine-draft" }

    static func write(_ bytes: [UInt8], to path: String, mode: UInt32) throws {
        let file = try open(path, mode: mode)
        let written = bytes.withUnsafeBytes { bytes in
            Result { () throws(OutputError) in try file.output.write(bytes) }
        }
        try written.get()
        try file.finish()
    }

    /// The existing target if it is no regular file; nil if a file has to be made.
    ///
    /// - Throws: ELOOP for a symbolic link to a file, since its creator would choose which file is overwritten. EPERM
    ///   for a pipe or device of another user, who would read what is written.
    private static func existing(_ path: String) throws(Errno) -> Descriptor? {
        var (status, named) = (stat(), stat())
        guard lstat(path, &named) == 0 else {
            guard errno == ENOENT else { throw .last }
            return nil
        }
        let isThere = stat(path, &status) == 0
        guard isThere, status.st_mode & S_IFMT != S_IFREG else {
            guard named.st_mode & S_IFMT != S_IFLNK else { throw Errno(ELOOP) }
            return nil
        }
        // A pipe opens only when somebody reads from it, so it is looked at before, by a descriptor that opens nothing.
        let found = try FileCalls.system.open(path, in: AT_FDCWD, .lookThrough)
        guard fstat(found.number, &status) == 0 else { throw .last }
        // Another file may have taken its place since the first check.
        guard status.st_mode & S_IFMT != S_IFREG else { throw Errno(ELOOP) }
        guard [0, geteuid()].contains(status.st_uid) || isOpened(status) else { throw Errno(EPERM) }
        let number = Glibc.open("/proc/self/fd/\(found.number)", O_WRONLY | O_CLOEXEC | O_NOCTTY)
        guard number >= 0 else { throw .last }
        return Descriptor(number)
    }

    /// Whether the file is one of those with which the command was started, as /dev/stdout is.
    ///
    /// `sudo security … -o /dev/stdout | …` writes into a pipe of the person's.
    private static func isOpened(_ file: stat) -> Bool {
        [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO].contains { number in
            var status = stat()
            return fstat(number, &status) == 0 && status.st_dev == file.st_dev && status.st_ino == file.st_ino
        }
    }

    private static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        let folder = path[..<slash]
        return (folder.isEmpty ? "/" : String(folder), String(path[path.index(after: slash)...]))
    }

    private static func failure(_ path: String, _ error: Errno) -> ToolError {
        .failure("\(path): \(error)")
    }
}
