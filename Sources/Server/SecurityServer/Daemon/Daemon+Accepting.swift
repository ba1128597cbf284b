import CChatelaine
import ChatelaineSystem
import Glibc
import ServerIPC
import SystemCalls

/// How connections are accepted.
extension Daemon {
    static func accept(_ listener: Listener, _ services: Services) -> Never {
        while true {
            guard let socket = listener.accept() else {
                let error = Errno.last
                tellOfTrouble("no connection can be accepted", ["error": error.description], services)
                // Out of descriptors or memory: connections that end give some back.
                usleep(100_000)
                continue
            }
            admit(socket, services)
        }
    }

    private static func admit(_ socket: consuming Descriptor, _ services: Services) {
        var pid: Int32 = 0
        var uid: UInt32 = 0
        var gid: UInt32 = 0
        guard chatelaine_peer_credentials(socket.number, &pid, &uid, &gid) == 0 else { return }
        guard let slot = slot(socket.number, pid, uid, services.connections) else {
            services.closer.dispose(connection: socket)
            guard services.connections.isTimeForRemark else { return }
            services.log.warning("a program has too many connections", ["pid": "\(pid)", "uid": "\(uid)"])
            return
        }
        let number = socket.release()
        let isStarted = Worker.start {
            serve(Descriptor(number), slot, services)
            // Descriptors that came over the connection are closed by now, or wait elsewhere to be closed.
            services.connections.dismiss(slot)
        }
        guard !isStarted else { return }
        services.connections.dismiss(slot)
        services.closer.dispose(connection: Descriptor(number))
        tellOfTrouble("no thread can be had for a connection", [:], services)
    }

    /// Logs what happens again with each connection while the system has nothing left.
    private static func tellOfTrouble(
        _ message: String, _ fields: KeyValuePairs<String, String>, _ services: Services
    ) {
        if services.trouble.admit(message) != nil { services.log.error(message, fields) }
    }

    /// A place for a connection, or nil where none is free after several attempts.
    private static func slot(_ socket: Int32, _ pid: Int32, _ uid: UInt32, _ connections: ConnectionLimiter)
        -> ConnectionSlot?
    {
        for _ in 0..<SessionLimits.admissionAttempts {
            switch connections.admit(socket: socket, pid: pid, uid: uid) {
            case .slot(let slot): return slot
            case .refused: return nil
            case .full: usleep(SessionLimits.admissionPause)
            }
        }
        return nil
    }

    private static func serve(_ socket: consuming Descriptor, _ slot: ConnectionSlot, _ services: Services) {
        let session = Session(socket: socket, slot: slot, services: services)
        session.run()
        services.connections.vacate(slot)
        // The socket must stay open until the slot is vacated.
        withExtendedLifetime(session) {}
    }
}
