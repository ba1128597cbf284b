import CChatelaine
import ChatelaineModel
import ChatelaineSystem
import Glibc

/// Makes connections to securityd, and starts the daemon where none listens.
struct Connector: Sendable {
    let deployment: Deployment
    let environment: ProcessEnvironment

    /// A connection with its handshake done; waits for a daemon that is just starting.
    ///
    /// - Throws: ``KeychainError``, never ``FrameError``, so that the client does not ask a daemon again that refuses
    ///   it.
    func connect() throws(KeychainError) -> ClientConnection {
        var waited: Int32 = 0
        var isStarted = false
        while true {
            var reason = "it does not listen"
            if let socket = try attempt() {
                do {
                    return try ClientConnection(socket: Descriptor(socket))
                } catch let error as KeychainError {
                    throw error
                } catch FrameError.timedOut {
                    throw KeychainError(
                        .notAvailable, "securityd at \(deployment.socketPath) does not answer; end it, and try again")
                } catch {
                    reason = "it closes the connection (\(error))"
                }
            } else if !isStarted {
                try DaemonLauncher(deployment: deployment, environment: environment).start { isListening() }
                isStarted = true
                continue
            }
            guard waited < ClientLimits.startMilliseconds else {
                throw KeychainError(
                    .notAvailable, "securityd does not answer at \(deployment.socketPath): \(reason)")
            }
            poll(nil, 0, ClientLimits.retryMilliseconds)
            waited += ClientLimits.retryMilliseconds
            // The daemon may have come up and died again, as under a test that kills it.
            if waited % (100 * ClientLimits.retryMilliseconds) == 0 { isStarted = false }
        }
    }

    func isListening() -> Bool {
        guard let socket = try? attempt() else { return false }
        close(socket)
        return true
    }

    /// A connected socket; nil where nobody listens at this session's path or at the path of the running daemon.
    private func attempt() throws(KeychainError) -> Int32? {
        if let socket = try attempt(at: deployment.socketPath) { return socket }
        guard deployment.mode == .user, let elsewhere = DaemonPlace(deployment).socketPath else { return nil }
        // A stale path from an earlier daemon may lead anywhere: an error there counts as no listener, and the client
        // starts a daemon.
        do throws(KeychainError) { return try attempt(at: elsewhere) } catch { return nil }
    }

    private func attempt(at path: String) throws(KeychainError) -> Int32? {
        let socket = chatelaine_unix_socket()
        guard socket >= 0 else { throw KeychainError(system: errno, "a socket") }
        guard chatelaine_unix_connect(socket, path) == 0 else {
            let error = errno
            close(socket)
            switch error {
            case ENOENT, ECONNREFUSED, EAGAIN: return nil
            // A signal came while the daemon's queue was full.
            case EINTR: return try attempt(at: path)
            default: throw KeychainError(system: error, path)
            }
        }
        var pid: Int32 = 0
        var uid: UInt32 = 0
        var gid: UInt32 = 0
        // A stranger that listens on our socket's path would receive our secrets.
        guard chatelaine_peer_credentials(socket, &pid, &uid, &gid) == 0,
            uid == (deployment.mode == .user ? environment.uid : 0)
        else {
            close(socket)
            throw KeychainError(.notAvailable, "who listens at \(path) is not securityd of this user")
        }
        return socket
    }
}
