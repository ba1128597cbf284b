import CChatelaine
import ChatelaineIPC
import ChatelaineSystem
import Glibc
import ServerIPC
import SystemCalls

/// Notices that a file of the daemon was removed or replaced: its socket, or the lock file in its data folder.
///
/// Without its socket no client can reach the daemon. The end of a session removes its runtime folder, and a daemon
/// that lived on would hold the lock of its store and keep every other daemon from serving.
enum RemovalWatch {
    /// Seconds between two looks where the user has no watch left (fs.inotify.max_user_instances).
    private static let pause: UInt32 = 5

    /// Calls `body` once, from a thread of its own, when `path` no longer leads to the file that is there now.
    static func start(_ path: String, _ body: @escaping @Sendable () -> Void) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), let file = FileIdentity(at: path) else {
            return
        }
        let watch = chatelaine_watch_removals(String(path[..<slash]))
        let isStarted = Worker.start {
            var events = [UInt8](repeating: 0, count: 4096)
            // The look comes first: the file may have been removed before there was a watch.
            while FileIdentity(at: path) == file {
                guard watch >= 0 else {
                    sleep(pause)
                    continue
                }
                // SAFETY: read writes at most `count` bytes. What they say is seen by looking.
                let count = events.withUnsafeMutableBytes { read(watch, $0.baseAddress, $0.count) }
                if count < 0, errno != EINTR { break }
            }
            if watch >= 0 { close(watch) }
            body()
        }
        if !isStarted, watch >= 0 { close(watch) }
    }
}
