import CChatelaine
import ChatelaineModel
import ChatelaineSystem
import Glibc

/// Makes connections to securityd, and has it started where it does not answer.
struct Connector: Sendable {
    let deployment: Deployment
    let environment: ProcessEnvironment

    /// A connection with its handshake done; waits for a daemon that is just starting.
    ///
    /// - Throws: ``KeychainError``; ``FrameError`` never, so that a daemon which refuses us is not asked again and again.
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
            // It may have come and gone again, as under a test that kills it.
            if waited % (100 * ClientLimits.retryMilliseconds) == 0 { isStarted = false }
        }
    }

    func isListening() -> Bool {
        guard let socket = try? attempt() else { return false }
        close(socket)
        return true
    }

    /// A connected socket, or nil where nobody listens: neither in this session's place nor in that of the daemon that runs.
    private func attempt() throws(KeychainError) -> Int32? {
        if let socket = try attempt(at: deployment.socketPath) { return socket }
        guard deployment.mode == .user, let elsewhere = DaemonPlace(deployment).socketPath else { return nil }
        // What an earlier daemon wrote may lead anywhere by now: then nobody listens, and another is started here.
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
        // A stranger's socket in our place would be told our secrets.
        guard chatelaine_peer_credentials(socket, &pid, &uid, &gid) == 0,
            uid == (deployment.mode == .user ? environment.uid : 0)
        else {
            close(socket)
            throw KeychainError(.notAvailable, "who listens at \(path) is not securityd of this user")
        }
        return socket
    }
}
