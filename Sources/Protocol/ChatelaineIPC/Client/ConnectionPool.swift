import ChatelaineSystem
import Glibc

/// The connections of one process, with one call at a time on each.
///
/// A pool belongs to the process that made it. A forked child gets a pool of its own and closes its copies of the
/// parent's sockets (``KeychainClient``). The old pool stays as it is: a thread that does not exist in the child
/// may hold its lock.
// `@unchecked Sendable`: `idle` and `open` are touched under `monitor`. `sockets` is read without it only in a child
// that has one thread. A connection belongs to the call that took it.
final class ConnectionPool: @unchecked Sendable {
    private let monitor = Monitor(())
    private var idle: [ClientConnection] = []
    private var open = 0
    /// Sockets of open connections for a forked child to close, on memory that never moves.
    private let sockets = UnsafeMutableBufferPointer<OpenSocket>.allocate(capacity: ClientLimits.connections)

    /// Connections that one session keeps for itself; they count in this pool as well.
    let kept = KeptConnections()
    /// Places for long calls, such as evaluations of trust, which may wait for servers.
    let longCalls = CallLimiter(ClientLimits.longCalls)
    let longestCalls = CallLimiter(ClientLimits.longestCalls)

    init() { sockets.initialize(repeating: .none) }

    deinit { sockets.deallocate() }

    /// Closes the sockets that a child inherited from the process that made this pool.
    func closeInherited() {
        for socket in sockets where socket.isStillOpen { close(socket.number) }
    }

    /// Runs `body` with a connection for this call alone.
    ///
    /// The connection goes back to the pool unless `body` throws an error that `isHarmless` does not recognise.
    ///
    /// - Parameter isKept: whether the caller keeps the connection from the result, so that it leaves the pool.
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

    /// Closes the connections at rest, since their daemon is gone.
    func dropIdle() {
        let dropped = monitor.withLock { _ in
            let dropped = idle
            idle = []
            return dropped
        }
        for connection in dropped { drop(connection) }
    }

    // MARK: Taking and giving

    /// Takes a connection, which counts in this pool until it is dropped.
    ///
    /// - Parameter check: throws where the call is not wanted any more. It is asked before the call waits for a
    ///   connection, and again after ``wake()``.
    func take(
        while check: () throws -> Void = {}, _ connect: () throws -> ClientConnection
    ) throws -> ClientConnection {
        let taken: ClientConnection? = try monitor.wait { _ -> Awaited<ClientConnection?> in
            if idle.isEmpty, open == ClientLimits.connections {
                try check()
                return .nothing()
            }
            if let connection = idle.popLast() { return .answer(connection) }
            open += 1
            return .answer(nil)
        }
        if let taken { return taken }
        do {
            let connection = try connect()
            monitor.withLock { _ in replace(-1, by: OpenSocket(connection.descriptor)) }
            return connection
        } catch {
            monitor.withLock { _ in open -= 1 }
            monitor.signal()
            throw error
        }
    }

    /// Makes the calls that wait for a connection ask again whether they are wanted.
    func wake() { monitor.wake() }

    private func give(back connection: ClientConnection) {
        monitor.withLock { _ in idle.append(connection) }
        monitor.signal()
    }

    /// Removes the descriptor from the list before its owner closes it, so that a child never closes a reused number.
    func drop(_ connection: ClientConnection) {
        monitor.withLock { _ in
            replace(connection.descriptor, by: .none)
            open -= 1
        }
        monitor.signal()
    }

    private func replace(_ old: Int32, by new: OpenSocket) {
        if let index = sockets.firstIndex(where: { $0.number == old }) { sockets[index] = new }
    }
}
