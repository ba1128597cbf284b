import CChatelaine
import ChatelaineIPC
import ChatelaineSystem
import Glibc
import ServerIPC
import SystemCalls

/// Notices that a file of the daemon was removed or replaced: its socket, or the lock file in its data folder.
///
/// Without its socket no client can reach the daemon. The end of a session removes its runtime folder, and a daemon
/// that lived on would hold the lock of its store and keep every other daemon from serving. Without its lock file
/// another daemon may serve the folder; mostly the folder is gone, as that of a test.
enum RemovalWatch {
    /// Calls `body` once, from a thread of its own, when `path` no longer leads to the file that is there now.
    ///
    /// Where the system cannot give a watch, the call has no effect and a removal goes unnoticed.
    static func start(_ path: String, _ body: @escaping @Sendable () -> Void) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), let file = FileIdentity(at: path) else {
            return
        }
        let watch = chatelaine_watch_removals(String(path[..<slash]))
        guard watch >= 0 else { return }
        let isStarted = Worker.start {
            var events = [UInt8](repeating: 0, count: 4096)
            // The look comes first: the file may have been removed before there was a watch.
            while FileIdentity(at: path) == file {
                // SAFETY: read writes at most `count` bytes. What they say is seen by looking.
                let count = events.withUnsafeMutableBytes { read(watch, $0.baseAddress, $0.count) }
                if count < 0, errno != EINTR { break }
            }
            close(watch)
            body()
        }
        if !isStarted { close(watch) }
    }
}
