import CChatelaine
import Glibc

/// The connections of one process, each with one call at a time.
///
/// A pool belongs to the process that made it: ``current(for:)`` gives a forked child a pool of its own, and closes the
/// child's copies of its parent's sockets. The old pool is left as it is, since a thread that does not exist in the child
/// may hold its lock.
// `@unchecked Sendable`: `idle` and `open` are touched under `monitor`; `sockets` is read without it only in a child that
// has one thread; a connection belongs to whoever took it.
final class ConnectionPool: @unchecked Sendable {
    private let monitor = Monitor()
    private var idle: [ClientConnection] = []
    private var open = 0
    private let owner = chatelaine_process()
    /// Sockets of open connections for a forked child to close, on memory that never moves.
    private let sockets = UnsafeMutableBufferPointer<OpenSocket>.allocate(capacity: ClientLimits.connections)

    /// Those that somebody has for itself; each counts here as well.
    let kept = KeptConnections()
    /// For what takes long, as evaluations of trust, which may take as long as servers do.
    let longCalls = CallLimiter(ClientLimits.longCalls)
    let longestCalls = CallLimiter(ClientLimits.longestCalls)

    init() { sockets.initialize(repeating: .none) }

    deinit { sockets.deallocate() }

    var belongsToThisProcess: Bool { owner == chatelaine_process() }

    /// Closes what a child inherited from the process that made this pool.
    func closeInherited() {
        for socket in sockets where socket.isStillOpen { close(socket.number) }
    }

    /// Runs `body` with a connection of its own, which goes back to the pool unless `body` throws something that
    /// `isHarmless` does not recognise.
    ///
    /// - Parameter isKept: whether whoever gets the result keeps the connection, which then is none of the pool's any more.
    func withConnection<Result>(
        connect: () throws -> ClientConnection, isKept: Bool = false, isHarmless: (any Error) -> Bool,
        _ body: (ClientConnection) throws -> Result
    ) throws -> Result {
        let connection = try take(connect)
        do {
            let result = try body(connection)
            if isKept { drop(connection) } else { give(back: connection) }
            return result
        } catch {
            if isHarmless(error) { give(back: connection) } else { drop(connection) }
            throw error
        }
    }

    /// Forgets connections at rest: their daemon is gone.
    func dropIdle() {
        let dropped = monitor.locked {
            let dropped = idle
            idle = []
            return dropped
        }
        for connection in dropped { drop(connection) }
    }

    // MARK: Taking and giving

    /// A connection that counts here until it is dropped.
    func take(_ connect: () throws -> ClientConnection) throws -> ClientConnection {
        let taken: ClientConnection? = monitor.locked {
            while idle.isEmpty, open == ClientLimits.connections { monitor.wait() }
            if let connection = idle.popLast() { return connection }
            open += 1
            return nil
        }
        if let taken { return taken }
        do {
            let connection = try connect()
            monitor.locked { replace(-1, by: OpenSocket(connection.descriptor)) }
            return connection
        } catch {
            monitor.locked { open -= 1 }
            monitor.signal()
            throw error
        }
    }

    private func give(back connection: ClientConnection) {
        monitor.locked { idle.append(connection) }
        monitor.signal()
    }

    /// Forgets the descriptor before its owner closes it, so that a child never closes a number used anew.
    func drop(_ connection: ClientConnection) {
        monitor.locked {
            replace(connection.descriptor, by: .none)
            open -= 1
        }
        monitor.signal()
    }

    private func replace(_ old: Int32, by new: OpenSocket) {
        if let index = sockets.firstIndex(where: { $0.number == old }) { sockets[index] = new }
    }
}
