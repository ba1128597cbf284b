import CChatelaine
import Glibc

/// Finds and ends the daemon that serves a test's home, by its socket.
package enum DaemonProcess {
    /// The time limit for the end of a daemon on a busy machine.
    private static let patienceMilliseconds: Int32 = 10_000

    /// The process id of the daemon; nil where none listens.
    package static func pid(at socketPath: String) -> pid_t? {
        let socket = chatelaine_unix_socket()
        defer { close(socket) }
        var (pid, uid, gid): (pid_t, uid_t, gid_t) = (0, 0, 0)
        guard chatelaine_unix_connect(socket, socketPath) == 0,
            chatelaine_peer_credentials(socket, &pid, &uid, &gid) == 0, pid > 1
        else { return nil }
        return pid
    }

    /// Ends the daemon, if one listens, and waits for its exit.
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
