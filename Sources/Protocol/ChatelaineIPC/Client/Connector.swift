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
    /// A daemon at this session's path may serve another folder than this process's: its environment had another `HOME`
    /// or `XDG_DATA_HOME`. Then its socket counts as one where nobody listens (behaviour/deployment.md, 17).
    ///
    /// - Throws: ``KeychainError``, never ``FrameError``, so that the client does not ask a daemon again that refuses
    ///   it.
    func connect() throws(KeychainError) -> ClientConnection {
        var end = MonotonicClock.milliseconds + ClientLimits.startMilliseconds
        var (isStarted, wasStarted) = (false, false)
        var restart = end
        var strangers: Set<String> = []
        var pause = ClientLimits.retryMilliseconds
        while true {
            var reason = "it does not listen"
            if let (socket, path) = try attempt(except: strangers) {
                do {
                    return try ClientConnection(socket: Descriptor(socket), isOurs: isOurs)
                } catch is OtherDataFolder {
                    strangers.insert(path)
                    continue
                } catch let error as KeychainError {
                    throw error
                } catch FrameError.timedOut {
                    throw Self.silent(path)
                } catch {
                    reason = "it closes the connection (\(error))"
                }
            } else if !isStarted {
                try DaemonLauncher(deployment: deployment, environment: environment).start {
                    isListening(except: strangers)
                }
                isStarted = true
                pause = ClientLimits.retryMilliseconds
                let now = MonotonicClock.milliseconds
                if !wasStarted { end = now + ClientLimits.startMilliseconds }
                wasStarted = true
                restart = now + ClientLimits.restartMilliseconds
                // The daemon of the other folder may have ended meanwhile, and ours listens in its place.
                strangers = []
                continue
            }
            let now = MonotonicClock.milliseconds
            guard now < end else { throw unreachable(reason) }
            poll(nil, 0, pause)
            // A daemon that closes each connection lacks something, and gets time to have it.
            pause = min(2 * pause, ClientLimits.longestRetryMilliseconds)
            // The daemon may have come up and died again, as under a test that kills it.
            if now >= restart { isStarted = false }
        }
    }

    private static func silent(_ path: String) -> KeychainError {
        KeychainError(cause: .busy, "securityd at \(path) does not answer; end it, and try again")
    }

    /// The error where a daemon was started and does not answer.
    private func unreachable(_ reason: String) -> KeychainError {
        let place = DaemonPlace(deployment)
        guard deployment.mode == .user, place.isHeld else {
            return KeychainError(.notAvailable, "securityd does not answer at \(deployment.socketPath): \(reason)")
        }
        return KeychainError(
            .notAvailable,
            "\(deployment.lockPath) is held by a securityd that listens at \(place.socketPath ?? deployment.socketPath), "
                + "where it cannot be reached from here: end it (fuser shows its process), or name another folder by CHATELAINE_HOME"
        )
    }

    /// Whether a data folder is this process's; true where this process may not look.
    private func isOurs(_ folder: FileIdentity) -> Bool {
        guard deployment.mode == .user else { return true }
        guard let own = FileIdentity(at: deployment.dataFolder) else { return errno != ENOENT && errno != ENOTDIR }
        return own == folder
    }

    func isListening(except strangers: Set<String> = []) -> Bool {
        guard let (socket, _) = try? attempt(except: strangers) else { return false }
        close(socket)
        return true
    }

    /// A connected socket, and its path; nil where nobody listens at this session's path or at the path of the running
    /// daemon.
    private func attempt(except strangers: Set<String>) throws(KeychainError) -> (socket: Int32, path: String)? {
        let usual = deployment.socketPath
        if !strangers.contains(usual), let socket = try attempt(at: usual) { return (socket, usual) }
        guard deployment.mode == .user, let elsewhere = DaemonPlace(deployment).socketPath,
            !strangers.contains(elsewhere)
        else { return nil }
        // A stale path from an earlier daemon may lead anywhere: an error there counts as no listener, and the client
        // starts a daemon.
        do throws(KeychainError) { return try attempt(at: elsewhere).map { ($0, elsewhere) } } catch {
            // One that is there and accepts nobody is no stale path.
            guard error.cause == .busy else { return nil }
            throw error
        }
    }

    private func attempt(at path: String) throws(KeychainError) -> Int32? {
        let socket = chatelaine_unix_socket()
        guard socket >= 0 else { throw KeychainError(system: errno, "a socket") }
        guard chatelaine_unix_connect(socket, path) == 0 else {
            let error = errno
            close(socket)
            switch error {
            case ENOENT, ECONNREFUSED: return nil
            case EAGAIN: throw Self.silent(path)
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
