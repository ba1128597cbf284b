import CChatelaine
import ChatelaineIPC
import ChatelaineSystem
import Glibc
import ServerIPC
import SystemCalls

/// Notices that no client can reach the daemon any more, because its socket was removed or replaced.
///
/// The end of a session removes its runtime folder. A daemon that lived on would hold the lock of its store and keep
/// every other daemon from serving.
enum SocketWatch {
    /// Calls `body` once, from a thread of its own, when `path` no longer leads to the socket that stands there now.
    ///
    /// Where the system cannot give a watch, the call has no effect and a removal goes unnoticed.
    static func start(_ path: String, _ body: @escaping @Sendable () -> Void) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), let socket = FileIdentity(at: path) else {
            return
        }
        let watch = chatelaine_watch_removals(String(path[..<slash]))
        guard watch >= 0 else { return }
        let isStarted = Worker.start {
            var events = [UInt8](repeating: 0, count: 4096)
            // The look comes first: the socket may have been removed before there was a watch.
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
