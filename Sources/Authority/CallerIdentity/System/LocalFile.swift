import ChatelaineSystem
import Glibc

/// Files that callers name or hand over, on file systems that need nobody's program to answer.
package enum LocalFile {
    /// Whether a descriptor of a stranger's is a plain file or a folder, on no file system that a program of a user serves. Its file system is not
    /// asked.
    package static func isReadable(_ descriptor: Int32) -> Bool {
        let system = IdentityCalls.system
        do throws(Errno) {
            let mount = try ProcessFacts.mount(of: descriptor, system: system)
            let status = try system.files.knownStatus(of: descriptor)
            guard status.isRegular || status.isFolder else { return false }
            return try !MountTable.own.isProvided(mount)
        } catch { return false }
    }

    /// Which file stands at a path, links of the folders on the way followed, and where that is.
    ///
    /// - Throws: EREMOTE where the way leads through, or to, a file system that a program of a user serves; ENOENT, ENOTDIR for nothing, ELOOP where a
    ///   link stands at the path itself.
    package static func look(at path: String) throws(Errno) -> (path: CanonicalPath, file: FileIdentity) {
        let system = IdentityCalls.system
        let name = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[path.utf8.index(after: $0)...] } ?? path[...]
        let found = try FollowedPath(path, system: system)
        // A file can be mounted as well as a folder.
        guard !found.isProvided else { throw .remote }
        guard found.path.name == name else { throw Errno(ELOOP) }
        return (found.path, FileIdentity(device: found.status.key.device, inode: found.status.key.inode))
    }

    /// The way to a folder without links; nil where none is there.
    package static func canonical(_ folder: String) -> CanonicalPath? {
        try? FollowedPath(folder, system: .system).path
    }
}
