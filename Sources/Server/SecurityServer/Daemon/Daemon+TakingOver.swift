import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import Glibc
import SystemCalls

extension Daemon {
    /// Milliseconds that a daemon started by systemd waits for the one that serves its folder to end.
    ///
    /// That one ends at once, unless a change is just going to disk.
    private static let takeOverMilliseconds: Int32 = 10_000
    private static let takeOverPause: Int32 = 20

    /// Takes the lock of the data folder; nil where another daemon serves it already.
    ///
    /// A daemon that systemd starts takes over from the one that was there before. Two cases bring it about. systemd's
    /// socket took the place of the earlier daemon's, which ends by itself. Or the earlier one listens in another
    /// runtime folder, as one that cron started before its user logged in. It is asked to end then. Its clients find
    /// this daemon by the lock file, and repeat the calls that were not answered. Without this, the service and its
    /// socket would end as failed in systemd's eyes.
    ///
    /// - Throws: `errSecNotAvailable` where the earlier daemon does not end.
    static func lock(
        _ deployment: Deployment, _ started: DaemonStart, _ log: Log
    ) throws(KeychainError) -> StoreLock? {
        let lock = try StoreLock.take(folder: deployment.dataFolder)
        guard lock == nil, started == .systemd else { return lock }
        let elsewhere = DaemonPlace(deployment).socketPath
        // systemd listens for daemons that it starts itself.
        if let elsewhere, let process = listener(at: elsewhere), process > 1, process != getppid() {
            log.notice("securityd asks the one before it to end", ["pid": "\(process)", "socket": elsewhere])
            kill(process, SIGTERM)
        }
        var waited: Int32 = 0
        while waited < takeOverMilliseconds {
            if let lock = try StoreLock.take(folder: deployment.dataFolder) { return lock }
            poll(nil, 0, takeOverPause)
            waited += takeOverPause
        }
        throw KeychainError(
            .notAvailable,
            "another securityd holds \(deployment.dataFolder)/daemon.lock and does not end; `fuser` shows its process")
    }
}
