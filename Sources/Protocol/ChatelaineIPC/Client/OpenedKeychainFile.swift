import CChatelaine
import ChatelaineModel
import ChatelaineSystem
import Glibc

/// The place of a keychain's file outside of the keychain folders: the open folder, and the file found in it.
///
/// The path is resolved once, so that later calls reach the same folder.
struct KeychainFilePlace: ~Copyable {
    let path: String
    let folder: Descriptor
    private let name: String
    /// The file that was found; nil where there was none.
    private let entry: stat?

    /// - Throws: `errSecNoSuchKeychain` where the folder is missing, `errSecInvalidKeychain` for anything but a plain
    ///   file.
    init(_ path: String) throws(KeychainError) {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? path.startIndex
        let name = String(path[path.utf8.index(after: slash)...])
        let parent = slash == path.startIndex ? "/" : String(path[..<slash])
        let number = Self.opened { open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        guard number >= 0 else { throw KeychainError(keychainFile: errno, parent) }
        let folder = Descriptor(number)
        let entry = try Self.status(name, in: number, path)
        // Opening a device or a pipe may already have effects.
        if let entry, entry.st_mode & S_IFMT != S_IFREG {
            throw KeychainError(keychainFile: ELOOP, path)
        }
        self.path = path
        self.name = name
        self.folder = folder
        self.entry = entry
    }

    /// Opens the file for reading and writing, or for reading where it may not be written; the descriptor closes on
    /// exec.
    ///
    /// - Parameter isNew: whether to create the file, which must not exist yet.
    func opened(isNew: Bool) throws(KeychainError) -> Descriptor {
        guard isNew == (entry == nil) else {
            throw isNew
                ? KeychainError(keychainFile: EEXIST, path)
                : KeychainError(cause: .missing, status: .noSuchKeychain, "there is no keychain at \(path)")
        }
        let flags = O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | (isNew ? O_CREAT | O_EXCL : 0)
        var number = Self.opened { openat(folder.number, name, O_RDWR | flags, 0o600) }
        if number < 0, !isNew, [EROFS, EACCES, EPERM].contains(errno) {
            number = Self.opened { openat(folder.number, name, O_RDONLY | flags) }
        }
        guard number >= 0 else { throw KeychainError(keychainFile: errno, path) }
        return Descriptor(number)
    }

    /// Removes the file at the place, unless another file stands there by now.
    ///
    /// - Parameter file: the file that `opened(isNew:)` created; nil for the file that was found.
    func remove(_ file: stat? = nil) throws(KeychainError) {
        guard let wanted = file ?? entry, let status = try Self.status(name, in: folder.number, path),
            status.st_dev == wanted.st_dev, status.st_ino == wanted.st_ino
        else { return }
        guard Self.repeated({ unlinkat(folder.number, name, 0) }) == 0 || errno == ENOENT,
            Self.repeated({ fsync(folder.number) }) == 0
        else { throw KeychainError(system: errno, path) }
    }

    /// Whether the file that was found begins as a keychain does, or none was found.
    func beginsAsKeychain() throws(KeychainError) -> Bool {
        guard entry != nil else { return true }
        let number = Self.opened { openat(folder.number, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK) }
        guard number >= 0 else { throw KeychainError(keychainFile: errno, path) }
        let file = Descriptor(number)
        var head = [UInt8](repeating: 0, count: KeychainFileHead.byteCount)
        let count = head.withUnsafeMutableBytes { bytes in
            // SAFETY: the buffer has `count` bytes, and the descriptor is open for the whole call.
            Self.repeated { Int32(truncatingIfNeeded: pread(file.number, bytes.baseAddress, bytes.count, 0)) }
        }
        guard count >= 0 else { throw KeychainError(keychainFile: errno, path) }
        return KeychainFileHead.isKeychain(Array(head.prefix(Int(count))))
    }

    /// Makes sure that names can be removed from the folder, before anything else is changed.
    ///
    /// - Throws: `errSecReadOnly` on a disk that is read-only.
    func requireChangeableFolder() throws(KeychainError) {
        guard Self.repeated({ faccessat(folder.number, ".", W_OK, AT_EACCESS) }) == 0 else {
            throw KeychainError(system: errno, "removing \(path)")
        }
    }

    private static func status(_ name: String, in folder: Int32, _ path: String) throws(KeychainError) -> stat? {
        var status = stat()
        if repeated({ fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) }) == 0 { return status }
        guard errno == ENOENT else { throw KeychainError(keychainFile: errno, path) }
        return nil
    }

    /// Opens something in a program that may have closed 0, 1 and 2 and still writes to them.
    private static func opened(_ call: () -> Int32) -> Int32 { chatelaine_above_standard(repeated(call)) }

    private static func repeated(_ call: () -> Int32) -> Int32 {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }
}

/// The open file of a keychain outside of the keychain folders, to be lent to the daemon.
final class OpenedKeychainFile {
    let path: String
    private let place: KeychainFilePlace
    private let file: Descriptor

    /// Opens an existing file.
    convenience init(_ path: String) throws(KeychainError) { try self.init(path, isNew: false) }

    /// Creates an empty file; `errSecDuplicateKeychain` where something exists at the path.
    convenience init(new path: String) throws(KeychainError) { try self.init(path, isNew: true) }

    private init(_ path: String, isNew: Bool) throws(KeychainError) {
        let place = try KeychainFilePlace(path)
        file = try place.opened(isNew: isNew)
        self.place = place
        self.path = path
    }

    /// Lends the descriptors of the file and its folder, which stay open until `body` returns.
    func withDescriptors<Answer>(_ body: ([Int32]) throws -> Answer) rethrows -> Answer {
        defer { withExtendedLifetime(self) {} }
        return try body([file.number, place.folder.number])
    }

    /// Removes the file that was created, unless there is a whole keychain in it; a failure is ignored.
    ///
    /// The daemon may have made the keychain although its request failed afterwards, or its answer was lost.
    func remove() {
        defer { withExtendedLifetime(self) {} }
        var status = stat()
        guard fstat(file.number, &status) == 0 else { return }
        var head = [UInt8](repeating: 0, count: KeychainFileHead.database.count)
        let count = head.withUnsafeMutableBytes { pread(file.number, $0.baseAddress, $0.count, 0) }
        guard count < head.count || head != KeychainFileHead.database else { return }
        try? place.remove(status)
    }
}
