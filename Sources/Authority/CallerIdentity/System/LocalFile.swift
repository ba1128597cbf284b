import ChatelaineSystem
import Glibc

/// Files that callers name or hand over, on file systems that no user's program serves.
package enum LocalFile {
    /// Whether a caller's descriptor is a plain file or a folder, on a file system that no user's program serves.
    ///
    /// The file system itself is not asked.
    package static func isReadable(_ descriptor: Int32) -> Bool {
        let system = IdentitySystemCalls.system
        do throws(Errno) {
            let mount = try ProcessFacts.mount(of: descriptor, system: system)
            let status = try system.files.knownStatus(of: descriptor)
            guard status.isRegular || status.isFolder else { return false }
            return try !MountTable.own.isProvided(mount)
        } catch { return false }
    }

    /// The canonical path and identity of the file at a path; links in the folders on the way are followed.
    ///
    /// - Throws: EREMOTE if the path leads through, or to, a file system that a program of a user serves. ENOENT or
    ///   ENOTDIR if there is no file; ELOOP if the path itself is a link.
    package static func look(at path: String) throws(Errno) -> (path: CanonicalPath, file: FileIdentity) {
        let system = IdentitySystemCalls.system
        let name = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[path.utf8.index(after: $0)...] } ?? path[...]
        let found = try FollowedPath(path, system: system)
        // Such a file system can also be mounted on a file.
        guard !found.isProvided else { throw .remote }
        guard found.path.name == name else { throw Errno(ELOOP) }
        return (found.path, FileIdentity(device: found.status.key.device, inode: found.status.key.inode))
    }

    /// The path to a folder without links; nil if there is none.
    package static func canonical(_ folder: String) -> CanonicalPath? {
        try? FollowedPath(folder, system: .system).path
    }
}
