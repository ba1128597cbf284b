import CChatelaine
import Glibc

/// The socket path that the running daemon has recorded, where it differs from the one of this process.
///
/// A data folder has one daemon, whichever runtime folder a login, a cron job or `sudo` gives to a program. The
/// recorded path is not trusted: the listener there must be a process of this user.
package struct DaemonPlace {
    /// `PATH_MAX`; the kernel takes no longer path.
    private static let longestPath = 4096

    private let deployment: Deployment

    package init(_ deployment: Deployment) { self.deployment = deployment }

    /// Whether a daemon holds the lock of the data folder, be it one that this process cannot reach.
    ///
    /// The look takes the lock for a moment, so it is for calls that have given up.
    package var isHeld: Bool {
        let file = opened()
        defer { if file >= 0 { close(file) } }
        guard file >= 0, shareLock(file) != 0 else { return false }
        return errno == EWOULDBLOCK
    }

    /// Nil where the lock file names no other path. The daemon that wrote it may have ended; then nobody listens there.
    package var socketPath: String? {
        let file = opened()
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
            return nil
        }
        var buffer = [UInt8](repeating: 0, count: Self.longestPath)
        // SAFETY: read writes at most `count` bytes and tells how many.
        let count = buffer.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
        guard count > 0, let path = String(validating: buffer.prefix(count), as: UTF8.self), path.hasPrefix("/"),
            !path.utf8.contains(0), path != deployment.socketPath
        else { return nil }
        return path
    }

    private func opened() -> Int32 {
        chatelaine_above_standard(open(deployment.lockPath, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK))
    }
}

private func shareLock(_ file: Int32) -> Int32 { flock(file, LOCK_SH | LOCK_NB) }
