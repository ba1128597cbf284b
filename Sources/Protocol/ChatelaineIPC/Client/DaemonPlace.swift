import CChatelaine
import Glibc

/// The socket path that the running daemon has recorded, where it differs from the one of this process.
///
/// A data folder has one daemon, whichever runtime folder a login, a cron job or `sudo` gives to a program. The
/// recorded path is not trusted: the listener there must be a process of this user.
struct DaemonPlace {
    /// `PATH_MAX`; the kernel takes no longer path.
    private static let longestPath = 4096

    private let deployment: Deployment

    init(_ deployment: Deployment) { self.deployment = deployment }

    /// Nil where the lock file names no other path. The daemon that wrote it may have ended; then nobody listens there.
    var socketPath: String? {
        let file = chatelaine_above_standard(
            open(deployment.lockPath, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK))
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
}
