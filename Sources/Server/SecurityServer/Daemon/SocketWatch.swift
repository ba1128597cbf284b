import CChatelaine
import ChatelaineIPC
import Glibc
import ServerIPC
import ChatelaineSystem
import SystemCalls

/// Tells when nobody can reach the daemon any more, because its socket was taken away or replaced.
///
/// A session's end takes its runtime folder with it, and a daemon that lives on would hold the lock of its store and
/// keep every other one from serving.
enum SocketWatch {
    /// Calls `body` once, from a thread of its own, when `path` no longer leads to the socket that stands there now.
    ///
    /// Returns without effect where the system has no watch to give: then all is as if nothing was taken away.
    static func start(_ path: String, _ body: @escaping @Sendable () -> Void) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), let socket = FileIdentity(at: path) else {
            return
        }
        let watch = chatelaine_watch_removals(String(path[..<slash]))
        guard watch >= 0 else { return }
        let isStarted = Worker.start {
            var events = [UInt8](repeating: 0, count: 4096)
            // Taken away before there was a watch, too.
            while FileIdentity(at: path) == socket {
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
