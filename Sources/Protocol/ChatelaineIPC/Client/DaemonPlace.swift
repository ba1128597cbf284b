import CChatelaine
import Glibc

/// Where the daemon that runs says that it listens, if that is not where this process would look.
///
/// There is one daemon for a data folder, whatever runtime folder a login, a job of cron or `sudo` gives to a program. What
/// is written there counts no more than any path: who listens must be this user's process.
struct DaemonPlace {
    /// `PATH_MAX`; the kernel takes no longer path.
    private static let longestPath = 4096

    private let deployment: Deployment

    init(_ deployment: Deployment) { self.deployment = deployment }

    /// Nil where the lock's file names no other place. A daemon may have ended since; then nobody listens there.
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
