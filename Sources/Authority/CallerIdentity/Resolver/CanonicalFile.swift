import ChatelaineSystem
import Glibc

/// What stands at a canonical path, reached from our own root without following a single symbolic link.
struct CanonicalFile: ~Copyable {
    let descriptor: Descriptor
    /// The folder in which it was found; none for `/`.
    let folder: Descriptor
    let status: FileStatus
    /// Whether nobody besides root may write the file or a folder on the way.
    let isRootOnly: Bool
    let fileSystem: FileSystemKind
    /// Where a program of a user serves a file system on the way, the walk ends: this is the folder at which it is mounted, or
    /// the file itself.
    var isServedByAUser: Bool { fileSystem == .provided }

    /// Stores that users fill through a helper, and places where they mount media of their own making: root owns what
    /// lies there and yet did not choose it.
    private static let filledByUsers = ["/nix/store", "/gnu/store", "/media", "/run/media"].compactMap {
        CanonicalPath($0)
    }

    /// Walks down `path`.
    ///
    /// - Throws: the error of the step that failed; ENOTDIR where a symbolic link stands on the way.
    init(at path: CanonicalPath, system: IdentityCalls) throws(Errno) {
        var descriptor = try system.files.open("/", in: AT_FDCWD, .look)
        var folder = Descriptor(-1)
        var status = try system.files.knownStatus(of: descriptor.number)
        var isRootOnly = Self.isRootOnly(descriptor.number, status, system: system)
        var fileSystem = try system.kind(of: descriptor.number)
        for name in path.components where fileSystem != .provided {
            guard status.isFolder else { throw .notFolder }
            let device = status.key.device
            let next = try system.files.open(name, in: descriptor.number, .look)
            folder = descriptor
            descriptor = next
            status = try system.files.knownStatus(of: descriptor.number)
            if status.key.device != device {
                let kind = try system.kind(of: descriptor.number)
                if fileSystem == .local || kind == .provided { fileSystem = kind }
            }
            // Lists of access are the file system's to tell.
            if fileSystem == .provided { isRootOnly = false }
            if isRootOnly { isRootOnly = Self.isRootOnly(descriptor.number, status, system: system) }
        }
        guard status.mode & S_IFMT != S_IFLNK else { throw .notFolder }
        self.descriptor = descriptor
        self.folder = folder
        self.status = status
        self.isRootOnly = isRootOnly && !Self.filledByUsers.contains { $0.holds(path) }
        self.fileSystem = fileSystem
    }

    /// Whether nobody but root may write this file or folder.
    ///
    /// A sticky bit does not help: others may still add names. An access control list counts as a way to write without
    /// being read, and so does one that cannot be asked for.
    static func isRootOnly(_ descriptor: Int32, _ status: FileStatus, system: IdentityCalls) -> Bool {
        guard status.owner == 0, status.mode & 0o002 == 0 else { return false }
        guard status.mode & 0o020 == 0 || status.group == 0 else { return false }
        return (try? system.files.hasAccessList(descriptor)) == false
    }
}
