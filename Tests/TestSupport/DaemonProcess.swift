import CChatelaine
import Glibc

/// The daemon that serves a home of a test's, known by its socket.
package enum DaemonProcess {
    /// How long one may take to end on a busy machine.
    private static let patienceMilliseconds: Int32 = 10_000

    /// Its process; nil where none listens.
    package static func pid(at socketPath: String) -> pid_t? {
        let socket = chatelaine_unix_socket()
        defer { close(socket) }
        var (pid, uid, gid): (pid_t, uid_t, gid_t) = (0, 0, 0)
        guard chatelaine_unix_connect(socket, socketPath) == 0,
            chatelaine_peer_credentials(socket, &pid, &uid, &gid) == 0, pid > 1
        else { return nil }
        return pid
    }

    /// Ends it, if one listens, and waits until it is gone.
    package static func end(at socketPath: String, signal: Int32 = SIGKILL) {
        if let pid = pid(at: socketPath) { end(pid, signal: signal) }
    }

    package static func end(_ pid: pid_t, signal: Int32 = SIGKILL) {
        let handle = chatelaine_pidfd_open(pid)
        kill(pid, signal)
        guard handle >= 0 else { return }
        var ended = pollfd(fd: handle, events: Int16(POLLIN), revents: 0)
        poll(&ended, 1, patienceMilliseconds)
        close(handle)
    }
}
