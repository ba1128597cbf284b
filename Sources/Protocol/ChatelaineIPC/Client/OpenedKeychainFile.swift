import ChatelaineModel
import ChatelaineSystem
import Glibc

/// Where the file of a keychain stands that lies elsewhere: its folder, and which file is in it. The path is followed once.
struct KeychainFilePlace: ~Copyable {
    let path: String
    let folder: Descriptor
    private let name: String
    /// Nil where none is there.
    private let entry: stat?

    /// - Throws: `errSecNoSuchKeychain` where there is no such folder, `errSecInvalidKeychain` for what is no plain file.
    init(_ path: String) throws(KeychainError) {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
        let name = String(path[path.utf8.index(after: slash)...])
        let parent = slash == path.startIndex ? "/" : String(path[..<slash])
        let number = Self.repeated { open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard number >= 0 else { throw Self.error(parent) }
        let folder = Descriptor(number)
        let entry = try Self.status(name, in: number, path)
        // A device or a pipe is not even opened.
        if let entry, entry.st_mode & S_IFMT != S_IFREG {
            throw KeychainError(
                .invalidKeychain, "\(path) is no plain file; a keychain is one, and links to one are not followed")
        }
        self.path = path
        self.name = name
        self.folder = folder
        self.entry = entry
    }

    /// Opens it for reading and writing; closes on exec.
    ///
    /// - Parameter isNew: whether nothing may stand there yet.
    func opened(isNew: Bool) throws(KeychainError) -> Descriptor {
        guard isNew == (entry == nil) else {
            throw isNew
                ? KeychainError(
                    cause: .request, status: .duplicateKeychain, "\(path) is there already; delete it, or use it")
                : KeychainError(cause: .missing, status: .noSuchKeychain, "there is no keychain at \(path)")
        }
        let flags = O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | (isNew ? O_CREAT | O_EXCL : 0)
        let number = Self.repeated { openat(folder.number, name, flags, 0o600) }
        guard number >= 0 else { throw Self.error(path) }
        return Descriptor(number)
    }

    /// Removes that file, and no other that stands there by now.
    ///
    /// - Parameter file: the one that was made there; nil for the one that was found.
    func remove(_ file: stat? = nil) throws(KeychainError) {
        guard let wanted = file ?? entry, let status = try Self.status(name, in: folder.number, path),
            status.st_dev == wanted.st_dev, status.st_ino == wanted.st_ino
        else { return }
        guard Self.repeated({ unlinkat(folder.number, name, 0) }) == 0 || errno == ENOENT,
            Self.repeated({ fsync(folder.number) }) == 0
        else { throw KeychainError(system: errno, path) }
    }

    private static func status(_ name: String, in folder: Int32, _ path: String) throws(KeychainError) -> stat? {
        var status = stat()
        if repeated({ fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) }) == 0 { return status }
        guard errno == ENOENT else { throw error(path) }
        return nil
    }

    /// What became of a call on a file or folder that a person named.
    private static func error(_ path: String) -> KeychainError {
        switch errno {
        case ENOENT, ENOTDIR:
            KeychainError(cause: .missing, status: .noSuchKeychain, "\(path) is not there, and so no keychain")
        case ELOOP, ENXIO, EISDIR: KeychainError(.invalidKeychain, "\(path) is no plain file")
        case EEXIST:
            KeychainError(cause: .request, status: .duplicateKeychain, "\(path) is there already; delete it, or use it")
        case let number: KeychainError(system: number, path)
        }
    }

    private static func repeated(_ call: () -> Int32) -> Int32 {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }
}

/// The file of a keychain that lies elsewhere, open to be lent.
final class OpenedKeychainFile {
    let path: String
    private let place: KeychainFilePlace
    private let file: Descriptor

    /// One that is there.
    convenience init(_ path: String) throws(KeychainError) { try self.init(path, isNew: false) }

    /// An empty one, made here; `errSecDuplicateKeychain` where something is there.
    convenience init(new path: String) throws(KeychainError) { try self.init(path, isNew: true) }

    private init(_ path: String, isNew: Bool) throws(KeychainError) {
        let place = try KeychainFilePlace(path)
        file = try place.opened(isNew: isNew)
        self.place = place
        self.path = path
    }

    /// Lends the file and its folder, which are open until `body` returns.
    func withDescriptors<Answer>(_ body: ([Int32]) throws -> Answer) rethrows -> Answer {
        defer { withExtendedLifetime(self) {} }
        return try body([file.number, place.folder.number])
    }

    /// Takes back what was made, as far as that is possible.
    func remove() {
        var status = stat()
        guard fstat(file.number, &status) == 0 else { return }
        try? place.remove(status)
    }
}
