import ChatelaineModel
import ChatelaineSystem
import Glibc

/// The changes to folders that are on disk when they return.
extension StoreFolder {
    static let files = FileCalls.system

    /// Makes a folder for the daemon alone, unless it exists.
    package static func makeDurable(_ path: String) throws(KeychainError) { try make(path) }

    /// Whether something stands at a path; throws where the path cannot be read.
    ///
    /// An unreadable path does not count as missing, since nothing may be made in its place.
    package static func exists(_ path: String) throws(KeychainError) -> Bool { try kind(of: path) != 0 }

    /// Repeats a call that a signal interrupted.
    package static func repeated<Answer: SignedInteger>(_ call: () -> Answer) -> Answer {
        while true {
            let answer = call()
            guard answer < 0, errno == EINTR else { return answer }
        }
    }

    /// Opens a plain file, made with mode 0600 where the flags say so; -1 with `errno` as open(2), ENOTDIR for anything
    /// else.
    ///
    /// Whoever may write to the folder chooses what stands in the file's place: a pipe would block the opening process.
    static func openFile(_ path: String, _ flags: Int32) -> Int32 {
        let descriptor = repeated { open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0o600) }
        guard descriptor >= 0 else {
            // The path has a socket, or a pipe without a reader.
            if errno == ENXIO { errno = ENOTDIR }
            return descriptor
        }
        var status = stat()
        guard repeated({ fstat(descriptor, &status) }) == 0 else {
            let error = errno
            close(descriptor)
            errno = error
            return -1
        }
        if status.st_mode & S_IFMT == S_IFREG { return descriptor }
        close(descriptor)
        errno = ENOTDIR
        return -1
    }

    /// The kind of file at a path, as `S_IFMT` of inode(7); 0 for nothing.
    ///
    /// Throws where the path cannot be read.
    static func kind(of path: String) throws(KeychainError) -> mode_t {
        var status = stat()
        if repeated({ lstat(path, &status) }) == 0 { return status.st_mode & S_IFMT }
        guard errno == ENOENT || errno == ENOTDIR else { throw KeychainError(file: path, "looking for the file") }
        return 0
    }

    package static func sync(_ path: String) throws(KeychainError) {
        let descriptor = repeated { open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else { throw KeychainError(file: path, "opening") }
        defer { close(descriptor) }
        guard repeated({ fsync(descriptor) }) == 0 else { throw KeychainError(file: path, "syncing") }
    }

    /// Renames a folder or file within its file system; both parents are synced.
    ///
    /// Nothing may stand at `destination`.
    package static func move(_ source: String, to destination: String) throws(KeychainError) {
        guard try !exists(destination) else {
            throw KeychainError(.notAvailable, "\(destination) stands where \(source) should go; move it away")
        }
        guard repeated({ rename(source, destination) }) == 0 else { throw KeychainError(file: source, "renaming") }
        try sync(parent(of: destination))
        if parent(of: source) != parent(of: destination) { try sync(parent(of: source)) }
    }

    /// Removes the mark of formats 1 and 2, once a new one replaces it.
    static func removeEarlierMark(_ places: StorePlaces) throws(KeychainError) {
        let path = "\(places.store)/\(StoreFiles.earlierMark)"
        guard try exists(path) else { return }
        // A file that is no mark is kept.
        if try HighWaterMark.earlier(in: places.store) == .damaged { return try moveAside(path) }
        guard repeated({ unlink(path) }) == 0 else { throw KeychainError(file: path, "removing the file") }
        try sync(places.store)
    }

    /// Renames a damaged file beside its place.
    static func moveAside(_ path: String) throws(KeychainError) {
        var number = 1
        while try exists("\(path).damaged-\(number)") { number += 1 }
        try move(path, to: "\(path).damaged-\(number)")
    }

    package static func parent(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    /// Writes a new file for the daemon alone, whole and synced.
    static func write(_ bytes: [UInt8], to path: String) throws(KeychainError) {
        do throws(FileFailure) {
            try bytes.withUnsafeBufferPointer { bytes throws(FileFailure) in
                try files.create(path, in: AT_FDCWD, path: "", with: UnsafeRawBufferPointer(bytes))
            }
        } catch { throw KeychainError(error) }
    }

    /// Puts a file for the daemon alone at a path, in place of any other; on disk when it returns.
    package static func replace(_ path: String, with bytes: [UInt8]) throws(KeychainError) {
        let parent = parent(of: path)
        let name = String(path.utf8.dropFirst(parent.utf8.count).drop { $0 == UInt8(ascii: "/") }) ?? path
        do throws(FileFailure) {
            let folder: Descriptor
            do throws(Errno) { folder = try files.open(parent, in: AT_FDCWD, .folderThrough) } catch {
                throw FileFailure(error, "opening", parent)
            }
            try files.replace(name, in: folder.number, path: parent, draft: name + ".part", with: bytes)
        } catch { throw KeychainError(error) }
    }

    /// The contents of a small file; nil without a file.
    package static func read(_ path: String, limit: Int) throws(KeychainError) -> [UInt8]? {
        let number = openFile(path, O_RDONLY)
        guard number >= 0 else {
            if errno == ENOENT { return nil }
            throw KeychainError(file: path, "opening the file")
        }
        let file = Descriptor(number)
        do throws(Errno) { return try files.contents(of: file.number, limit: limit) } catch {
            throw KeychainError(FileFailure(error, "reading", path))
        }
    }

    /// Copies a file that nobody writes meanwhile, whole and synced.
    static func copy(_ source: String, to destination: String) throws(KeychainError) {
        let opened = openFile(source, O_RDONLY)
        guard opened >= 0 else { throw KeychainError(file: source, "opening the file") }
        let input = Descriptor(opened)
        do throws(FileFailure) {
            try files.copy(input.number, path: source, to: destination, in: AT_FDCWD)
        } catch { throw KeychainError(error) }
    }

    /// Removes a folder of the daemon that has only plain files.
    package static func remove(_ path: String) throws(KeychainError) {
        for name in try names(in: path) {
            guard repeated({ unlink("\(path)/\(name)") }) == 0 || errno == ENOENT else {
                throw KeychainError(file: "\(path)/\(name)", "removing the file")
            }
        }
        guard repeated({ rmdir(path) }) == 0 || errno == ENOENT else {
            throw KeychainError(file: path, "removing the folder")
        }
    }

    /// Removes a file or folder of the daemon, with all its contents, if it exists.
    package static func removeAll(_ path: String) throws(KeychainError) {
        switch try kind(of: path) {
        case 0: return
        case S_IFDIR:
            for name in try names(in: path) { try removeAll("\(path)/\(name)") }
            guard repeated({ rmdir(path) }) == 0 || errno == ENOENT else {
                throw KeychainError(file: path, "removing the folder")
            }
        default:
            guard repeated({ unlink(path) }) == 0 || errno == ENOENT else {
                throw KeychainError(file: path, "removing the file")
            }
        }
    }

    /// The free bytes of a path's file system that are available to the daemon.
    static func freeBytes(_ path: String) throws(KeychainError) -> UInt64 {
        var space = statvfs()
        guard repeated({ statvfs(path, &space) }) == 0 else {
            throw KeychainError(file: path, "asking for the space left")
        }
        // A file system without a limit may answer the highest numbers.
        let (bytes, isMore) = UInt64(space.f_bavail).multipliedReportingOverflow(by: UInt64(space.f_frsize))
        return isMore ? .max : bytes
    }
}
