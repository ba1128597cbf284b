import CChatelaine
import Glibc

/// The system calls by which programs and daemons make and judge the user's folders; one of the seams at which tests
/// make calls fail.
///
/// It is a structure of closures, as all such seams: they have the names of the calls and throw each error as it is.
package struct FolderCalls: Sendable {
    /// The status of a path, as needed to judge a folder.
    package struct Status: Equatable, Sendable {
        package var mode: UInt32
        package var owner: UInt32

        package init(mode: UInt32, owner: UInt32) {
            self.mode = mode
            self.owner = owner
        }

        package var isFolder: Bool { mode & S_IFMT == S_IFDIR }
        package var isLink: Bool { mode & S_IFMT == S_IFLNK }
    }

    /// Makes a folder for its owner only.
    package var mkdir: @Sendable (_ path: String) throws(Errno) -> Void
    /// The status of a path; follows symbolic links.
    package var stat: @Sendable (_ path: String) throws(Errno) -> Status
    package var lstat: @Sendable (_ path: String) throws(Errno) -> Status
    /// Checks that this process may read, write and enter the folder; otherwise throws the reason.
    package var access: @Sendable (_ path: String) throws(Errno) -> Void
    /// Whether the folder's file system has no block left for this user.
    package var isFull: @Sendable (_ path: String) throws(Errno) -> Bool
    package var open: @Sendable (_ path: String) throws(Errno) -> Int32
    package var fsync: @Sendable (_ folder: Int32) throws(Errno) -> Void
    package var close: @Sendable (_ folder: Int32) -> Void

    /// The kernel's calls.
    ///
    /// SAFETY, for all of them: paths are C strings that Swift keeps alive for the call, and pointers are to local
    /// variables.
    package static let system = FolderCalls(
        mkdir: { path throws(Errno) in try checked(Glibc.mkdir(path, 0o700)) },
        stat: { path throws(Errno) in try status(at: path, following: true) },
        lstat: { path throws(Errno) in try status(at: path, following: false) },
        access: { path throws(Errno) in try checked(Glibc.access(path, R_OK | W_OK | X_OK)) },
        isFull: { path throws(Errno) in try hasNoBlockLeft(path) },
        open: { path throws(Errno) in
            let folder = chatelaine_above_standard(Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
            try checked(folder)
            return folder
        },
        fsync: { folder throws(Errno) in try checked(Glibc.fsync(folder)) },
        close: { folder in _ = Glibc.close(folder) })

    private static func checked(_ result: Int32) throws(Errno) { guard result >= 0 else { throw .last } }
}

// Outside of `FolderCalls`, where the names of calls and their structures do not mean the closures.

private func status(at path: String, following isFollowing: Bool) throws(Errno) -> FolderCalls.Status {
    var status = stat()
    guard (isFollowing ? stat(path, &status) : lstat(path, &status)) == 0 else { throw .last }
    return FolderCalls.Status(mode: status.st_mode, owner: status.st_uid)
}

private func hasNoBlockLeft(_ path: String) throws(Errno) -> Bool {
    var system = statvfs()
    guard statvfs(path, &system) == 0 else { throw .last }
    return system.f_blocks > 0 && system.f_bavail == 0
}
