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
    private let draft: String
    private var isFinished = false

    private init(
        _ path: String, _ mode: UInt32, _ files: FileCalls, _ file: consuming Descriptor,
        _ folder: consuming Descriptor = Descriptor(-1), _ name: String = "", draft: String = ""
    ) {
        (self.path, self.mode, self.files, self.name, self.draft) = (path, mode, files, name, draft)
        output = Output(descriptor: file.number, isTerminal: false, path: path)
        self.file = file
        self.folder = folder
    }

    /// A file that was not finished is removed.
    deinit { if folder.number >= 0, !isFinished { try? files.unlink(draft, in: folder.number) } }

    /// The descriptors with which the command was started.
    static let standardDescriptors = [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]

    /// - Parameters:
    ///   - mode: the permissions of the file, whatever the umask is.
    ///   - own: the descriptors to which a path may lead, as /dev/stdout does.
    static func open(
        _ path: String, mode: UInt32, files: FileCalls = .system, own: [Int32] = standardDescriptors
    ) throws(ToolError) -> OutputFile {
        do throws(Errno) {
            if let file = try existing(path, own) { return OutputFile(path, mode, files, file) }
            let (place, name) = split(path)
            guard !name.isEmpty else { throw .notFound }
            let folder = try files.open(place, in: AT_FDCWD, .folderThrough)
            for number in 1...mostDrafts {
                let draft = ".chatelaine-draft-\(number)"
                guard let file = try taken(draft, in: folder.number, files) else { continue }
                return OutputFile(path, mode, files, file, folder, name, draft: draft)
            }
        } catch { throw failure(path, error) }
        throw .failure(
            "\(path): \(mostDrafts) other runs write into this folder, or files named .chatelaine-draft-1 and so on stand there: remove those"
        )
    }

    /// Moves the complete file to its place, on disk.
    func finish() throws(ToolError) {
        guard folder.number >= 0 else { return }
        do throws(Errno) {
            try files.setPermissions(of: file.number, mode)
            try files.synchronize(file.number)
            try files.rename(draft, to: name, in: folder.number)
            isFinished = true
            try files.synchronize(folder.number)
        } catch { throw Self.failure(path, error) }
    }

    /// Runs of the command that write into one folder at one time, and files of others with the names of drafts.
    static let mostDrafts = 32

    /// A new draft of a name, locked; nil where the name is another run's or somebody else's.
    ///
    /// The names are fixed, so that a later run removes what a crash left behind. They are short, whatever the file is
    /// called. A file that this run has made needs no check: some file systems give every file one owner and mode.
    private static func taken(_ name: String, in folder: Int32, _ files: FileCalls) throws(Errno) -> Descriptor? {
        for isFirst in [true, false] {
            do throws(Errno) {
                let file = try files.open(name, in: folder, .create)
                // A run beside this one may have taken it for left behind, before it was locked.
                do throws(Errno) { try files.lock(file.number) } catch .wouldBlock { return nil } catch {}
                let isThere = (try? files.status(at: name, in: folder))?.key == (try files.status(of: file.number)).key
                guard isThere else { return nil }
                return file
            } catch .exists {
                guard isFirst, removeLeftBehind(name, in: folder, files) else { return nil }
            }
        }
        return nil
    }

    /// Removes the draft of a run that has ended; false where it is none.
    private static func removeLeftBehind(_ name: String, in folder: Int32, _ files: FileCalls) -> Bool {
        guard let file = try? files.open(name, in: folder, .lock) else { return false }
        var status = stat()
        guard fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            status.st_nlink == 1, (try? files.lock(file.number)) != nil,
            (try? files.status(at: name, in: folder))?.key == FileStatus(status).key
        else { return false }
        return (try? files.unlink(name, in: folder)) != nil
    }

    static func write(_ bytes: [UInt8], to path: String, mode: UInt32) throws {
        let file = try open(path, mode: mode)
        let written = bytes.withUnsafeBytes { bytes in
            Result { () throws(OutputError) in try file.output.write(bytes) }
        }
        try written.get()
        try file.finish()
    }

    /// The existing target if it is no regular file or is open already; nil if a file has to be made.
    ///
    /// - Throws: ELOOP for a symbolic link to a file, since its creator would choose which file is overwritten. EPERM
    ///   for a pipe or device of another user, who would read what is written.
    private static func existing(_ path: String, _ own: [Int32]) throws(Errno) -> Descriptor? {
        var (status, named) = (stat(), stat())
        guard lstat(path, &named) == 0 else {
            guard errno == ENOENT else { throw .last }
            return nil
        }
        let isThere = stat(path, &status) == 0
        guard isThere, status.st_mode & S_IFMT != S_IFREG else {
            guard named.st_mode & S_IFMT == S_IFLNK else { return nil }
            // What a shell has opened as standard output is written where its writer stands, and may be deleted by now.
            guard isThere, let opened = opened(status, own) else { throw Errno(ELOOP) }
            let copy = fcntl(opened, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
            guard copy >= 0 else { throw .last }
            return Descriptor(copy)
        }
        // A pipe opens only when somebody reads from it, so it is looked at before, by a descriptor that opens nothing.
        let found = try FileCalls.system.open(path, in: AT_FDCWD, .lookThrough)
        guard fstat(found.number, &status) == 0 else { throw .last }
        // Another file may have taken its place since the first check.
        guard status.st_mode & S_IFMT != S_IFREG else { throw Errno(ELOOP) }
        guard [0, geteuid()].contains(status.st_uid) || opened(status, own) != nil else { throw Errno(EPERM) }
        let number = Glibc.open("/proc/self/fd/\(found.number)", O_WRONLY | O_CLOEXEC | O_NOCTTY)
        guard number >= 0 else { throw .last }
        return Descriptor(number)
    }

    /// The descriptor by which the command has a file open for writing; nil if it has none.
    ///
    /// `sudo security … -o /dev/stdout | …` writes into a pipe of the person's.
    private static func opened(_ file: stat, _ own: [Int32]) -> Int32? {
        own.first { number in
            var status = stat()
            let flags = fcntl(number, F_GETFL)
            return flags >= 0 && flags & O_ACCMODE != O_RDONLY && fstat(number, &status) == 0
                && FileStatus(status).key == FileStatus(file).key
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
