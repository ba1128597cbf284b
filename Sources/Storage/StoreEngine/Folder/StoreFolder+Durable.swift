import ChatelaineModel
import ChatelaineSystem
import Glibc

/// Changes to folders that are on disk when they return.
extension StoreFolder {
    static let files = FileCalls.system

    /// Makes a folder of the daemon's alone, unless it is there.
    package static func makeDurable(_ path: String) throws(KeychainError) { try make(path) }

    /// Whether something stands at a path. Throws where that cannot be told: what cannot be looked at is not missing, and
    /// nothing is to be made in its place.
    package static func exists(_ path: String) throws(KeychainError) -> Bool { try kind(of: path) != 0 }

    /// Makes a call again that a signal interrupted.
    package static func repeated<Answer: SignedInteger>(_ call: () -> Answer) -> Answer {
        while true {
            let answer = call()
            guard answer < 0, errno == EINTR else { return answer }
        }
    }

    /// Opens a plain file, made with mode 0600 where the flags say so; -1 with `errno` as open(2), ENOTDIR for anything else.
    ///
    /// What stands in a file's place is anybody's choice who may write to the folder: a pipe would block who opens it.
    static func openFile(_ path: String, _ flags: Int32) -> Int32 {
        let descriptor = repeated { open(path, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0o600) }
        guard descriptor >= 0 else {
            // A socket, or a pipe that nobody reads.
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

    /// What stands at a path, as `S_IFMT` of inode(7) tells; 0 for nothing. Throws where that cannot be told.
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

    /// Removes the mark of formats 1 and 2, which another has taken the place of.
    static func removeEarlierMark(_ places: StorePlaces) throws(KeychainError) {
        let path = "\(places.store)/\(StoreFiles.earlierMark)"
        guard try exists(path) else { return }
        // One that is none is kept.
        if try HighWaterMark.earlier(in: places.store) == .damaged { return try moveAside(path) }
        guard repeated({ unlink(path) }) == 0 else { throw KeychainError(file: path, "removing the file") }
        try sync(places.store)
    }

    /// Gives a file that is not what it should be another name beside its own.
    static func moveAside(_ path: String) throws(KeychainError) {
        var number = 1
        while try exists("\(path).damaged-\(number)") { number += 1 }
        try move(path, to: "\(path).damaged-\(number)")
    }

    package static func parent(of path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    /// Writes a new file of the daemon's alone, whole and synced.
    static func write(_ bytes: [UInt8], to path: String) throws(KeychainError) {
        do throws(FileFailure) {
            try bytes.withUnsafeBufferPointer { bytes throws(FileFailure) in
                try files.create(path, in: AT_FDCWD, path: "", with: UnsafeRawBufferPointer(bytes))
            }
        } catch { throw KeychainError(error) }
    }

    /// Puts a file of the daemon's alone into the place of another one, or of none; on disk when it returns.
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

    /// The content of a small file, or nil where there is none.
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

    /// Copies a file that no one writes, whole and synced.
    static func copy(_ source: String, to destination: String) throws(KeychainError) {
        let opened = openFile(source, O_RDONLY)
        guard opened >= 0 else { throw KeychainError(file: source, "opening the file") }
        let input = Descriptor(opened)
        do throws(FileFailure) {
            try files.copy(input.number, path: source, to: destination, in: AT_FDCWD)
        } catch { throw KeychainError(error) }
    }

    /// Removes a folder of ours that holds plain files only.
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

    /// Removes a file or a folder of ours with all that is in it, if it is there.
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

    /// Bytes that the file system of a path has left for us.
    static func freeBytes(_ path: String) throws(KeychainError) -> UInt64 {
        var space = statvfs()
        guard repeated({ statvfs(path, &space) }) == 0 else {
            throw KeychainError(file: path, "asking for the space left")
        }
        return UInt64(space.f_bavail) * UInt64(space.f_frsize)
    }
}
