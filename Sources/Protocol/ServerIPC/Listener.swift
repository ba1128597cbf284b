import CChatelaine
import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import Glibc

/// A listening socket on whose connections the kernel names the sender of every message.
package final class Listener {
    /// Whether messages carry a pidfd of their sender (Linux 6.5); without it, callers are identified less surely.
    package let hasMessagePidfd: Bool
    private let socket: Descriptor
    /// How many connections may wait to be accepted; the system may lower it.
    static let backlog: Int32 = 256

    /// Listens at `path`, and removes a socket that a dead daemon left there. The caller holds the path's lock.
    ///
    /// - Throws: `errSecNotAvailable`.
    package convenience init(path: String) throws(KeychainError) { try self.init(listening: try Self.bind(path)) }

    private static func bind(_ path: String) throws(KeychainError) -> Descriptor {
        let socket = Descriptor(chatelaine_unix_socket())
        guard socket.number >= 0 else { throw KeychainError(system: errno, path) }
        unlink(path)
        let mask = umask(0o177)
        let bound = chatelaine_unix_bind(socket.number, path)
        let error = errno
        umask(mask)
        guard bound == 0 else { throw KeychainError(system: error, path) }
        guard listen(socket.number, backlog) == 0 else { throw KeychainError(system: errno, path) }
        return socket
    }

    /// Takes over a socket on which systemd listens already (sd_listen_fds(3)).
    package init(listening socket: consuming Descriptor) throws(KeychainError) {
        guard chatelaine_pass_credentials(socket.number) == 0 else {
            throw KeychainError(system: errno, "the socket passes no credentials")
        }
        hasMessagePidfd = chatelaine_pass_pidfd(socket.number) == 0
        self.socket = socket
    }

    /// Waits for the next connection; nil where none can be accepted now, as when descriptors have run out.
    package func accept() -> Descriptor? {
        while true {
            let connection = chatelaine_accept(socket.number)
            if connection >= 0 { return Descriptor(connection) }
            if errno != EINTR && errno != ECONNABORTED { return nil }
        }
    }
}
