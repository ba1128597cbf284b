import CChatelaine
import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import Glibc

/// Where a daemon listens: at the session's path, or at one of its data folder's own.
///
/// The programs of a session share a runtime folder. They may have different data folders, as by `HOME` in a test or by
/// `XDG_DATA_HOME`. Each data folder has a daemon of its own, and one of them has the session's path
/// (behaviour/deployment.md, 17). Clients compare the daemon's folder with their own and find the other paths in the
/// lock file.
struct ListeningPlace {
    let dataFolder: FileIdentity
    let socketPath: String

    /// - Throws: `errSecNotAvailable` where the data folder is gone.
    init(
        _ deployment: Deployment, _ environment: ProcessEnvironment, _ started: DaemonStart
    ) throws(KeychainError) {
        guard let dataFolder = FileIdentity(at: deployment.dataFolder) else {
            throw KeychainError(system: errno, deployment.dataFolder)
        }
        self.dataFolder = dataFolder
        let hasSessionPath =
            switch started {
            // systemd listens there.
            case .systemd: true
            // A client starts a daemon beside a listener only if that one serves another folder.
            case .autostart:
                !environment.isElsewhere && Daemon.listener(at: deployment.socketPath) == nil
            // Whoever starts a daemon by hand wants it to be the one of the session.
            case .manual: !environment.isElsewhere
            }
        socketPath = hasSessionPath ? deployment.socketPath : deployment.socketPath(of: dataFolder)
    }
}

extension Daemon {
    /// The process that made the listening socket at a path; nil where nobody of this user listens.
    static func listener(at path: String) -> pid_t? {
        let socket = Descriptor(chatelaine_unix_socket())
        var (pid, uid, gid): (pid_t, uid_t, gid_t) = (0, 0, 0)
        guard socket.number >= 0, chatelaine_unix_connect(socket.number, path) == 0,
            chatelaine_peer_credentials(socket.number, &pid, &uid, &gid) == 0, uid == geteuid()
        else { return nil }
        return pid
    }

    /// Ends this process when no client can reach it any more.
    ///
    /// One that is not the session's also ends when its data folder is gone, as that of a test: its socket in the
    /// session's runtime folder stays, and nobody comes any more. The session's goes on and says that its items were
    /// taken away, since an empty store in their place would hide that.
    static func endWithoutPlace(_ place: ListeningPlace, _ lock: borrowing StoreLock, _ services: Services) {
        RemovalWatch.start(place.socketPath) { end("its socket was taken away", place, services) }
        guard place.socketPath != services.deployment.socketPath else { return }
        RemovalWatch.start(lock.path) {
            unlink(place.socketPath)
            end("its data folder was taken away", place, services)
        }
    }

    private static func end(_ reason: String, _ place: ListeningPlace, _ services: Services) -> Never {
        services.log.notice("securityd ends: \(reason)", ["socket": place.socketPath])
        services.fileKeychains.end()
        exit(0)
    }
}
