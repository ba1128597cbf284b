import ChatelaineSystem
import Glibc

/// The file at a canonical path, reached from the daemon's own root without following a symbolic link.
struct CanonicalFile: ~Copyable {
    let descriptor: Descriptor
    /// The folder that contains it; -1 for `/`.
    let folder: Descriptor
    let status: FileStatus
    /// Whether nobody but root may write the file or a folder on the way.
    let isRootOnly: Bool
    let fileSystem: FileSystemKind
    /// Whether a program of a user serves a file system on the way.
    ///
    /// The walk ends there: this value then describes the folder at which that file system is mounted, or the file
    /// itself.
    var isServedByAUser: Bool { fileSystem == .provided }

    /// Stores that users fill through a helper, and folders where they mount their own media.
    ///
    /// Root owns the files there but did not choose them.
    private static let filledByUsers = ["/nix/store", "/gnu/store", "/media", "/run/media"].compactMap {
        CanonicalPath($0)
    }

    /// Walks down `path`.
    ///
    /// - Throws: the error of the step that failed; ENOTDIR if there is a symbolic link on the way.
    init(at path: CanonicalPath, system: IdentitySystemCalls) throws(Errno) {
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
            // The file system's own server would answer for the access control lists.
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
    /// A sticky bit does not help, because others may still add names. An access control list counts as permission to
    /// write, whatever it says, and so does a list that cannot be read.
    static func isRootOnly(_ descriptor: Int32, _ status: FileStatus, system: IdentitySystemCalls) -> Bool {
        guard status.owner == 0, status.mode & 0o002 == 0 else { return false }
        guard status.mode & 0o020 == 0 || status.group == 0 else { return false }
        return (try? system.files.hasAccessList(descriptor)) == false
    }
}
