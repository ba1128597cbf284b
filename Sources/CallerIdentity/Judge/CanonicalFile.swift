import Glibc

/// What stands at an absolute path, reached from our own root without following a single symbolic link.
struct CanonicalFile: ~Copyable {
    let descriptor: Descriptor
    let status: FileStatus
    /// The first folder on the way, or the file itself, that someone besides root may write; nil if there is none.
    let weakness: String?
    let fileSystem: FileSystemKind

    /// Stores that users fill through a helper, and places where they mount media of their own making: root owns what
    /// lies there and yet did not choose it.
    private static let filledByUsers = ["/nix/store", "/gnu/store", "/media", "/run/media"]

    /// Walks down `path`, whose components may be neither empty nor "." nor "..".
    ///
    /// - Throws: the error of the step that failed; ENOTDIR where a symbolic link stands on the way.
    init(at path: String, system: any SystemCalls) throws(Errno) {
        guard path.utf8.count <= ExecutableSnapshot.longestPath else { throw .nameTooLong }
        let names = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        guard path.hasPrefix("/"), path == "/" || !names.contains(where: { ["", ".", ".."].contains($0) }) else {
            throw .notFolder
        }
        var descriptor = try system.open("/", in: AT_FDCWD, .look)
        var status = try system.status(of: descriptor.number)
        var weakness = Self.isRootOnly(descriptor.number, status, system: system) ? nil : "/"
        var fileSystem = FileSystemKind(magic: try system.fileSystem(of: descriptor.number))
        var walked = ""
        for name in names where path != "/" {
            guard status.isFolder else { throw .notFolder }
            let device = status.key.device
            let next = try system.open(String(name), in: descriptor.number, .look)
            descriptor = next
            status = try system.status(of: descriptor.number)
            walked += "/" + name
            if status.key.device != device, fileSystem == .local {
                fileSystem = FileSystemKind(magic: try system.fileSystem(of: descriptor.number))
            }
            if weakness == nil, !Self.isRootOnly(descriptor.number, status, system: system) { weakness = walked }
        }
        if weakness == nil { weakness = Self.filledByUsers.first { path == $0 || path.hasPrefix($0 + "/") } }
        guard status.mode & S_IFMT != S_IFLNK else { throw .notFolder }
        self.descriptor = descriptor
        self.status = status
        self.weakness = weakness
        self.fileSystem = fileSystem
    }

    /// Whether nobody but root may write this file or folder.
    ///
    /// A sticky bit does not help: others may still add names. An access control list counts as a way to write without
    /// being read, and so does one that cannot be asked for.
    static func isRootOnly(_ descriptor: Int32, _ status: FileStatus, system: any SystemCalls) -> Bool {
        guard status.owner == 0, status.mode & 0o002 == 0 else { return false }
        guard status.mode & 0o020 == 0 || status.group == 0 else { return false }
        return (try? system.hasAccessList(descriptor)) == false
    }
}
