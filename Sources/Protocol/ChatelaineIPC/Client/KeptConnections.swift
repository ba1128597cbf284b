import ChatelaineSystem

/// Connections that one keeper each has for itself between its calls, since the daemon remembers something on them.
///
/// A process has ``ClientLimits/keptConnections`` of them at a time. A further one takes the place of the least
/// recently used one at rest. The daemon forgets what it remembered on the ended connection, and a person is asked
/// again.
///
/// Where all of them are in use there may be more, since their calls may wait for a person for minutes. The first ones
/// that come to rest are then ended.
// `@unchecked Sendable`: `resting` and `count` are touched under `monitor`; a connection belongs to the call that took
// it.
final class KeptConnections: @unchecked Sendable {
    private let monitor = Monitor(())
    /// The connections at rest, the least recently used one first.
    private var resting: [(keeper: ObjectIdentifier, connection: ClientConnection)] = []
    /// How many connections are kept, at rest or in use.
    private var count = 0

    /// Runs `body` with the connection of `keeper`, which has one call under way at a time.
    ///
    /// A keeper without a connection gets a new one, and `prepare` runs before `body`.
    ///
    /// - Parameters:
    ///   - pool: where connections come from and are counted.
    ///   - isHarmless: whether the connection can be used again after `body` threw that error.
    ///   - check: throws where the call is not wanted any more (``ConnectionPool/take(while:_:)``).
    func withConnection<Result>(
        of keeper: ObjectIdentifier, from pool: ConnectionPool, connect: () throws -> ClientConnection,
        isHarmless: (any Error) -> Bool, while check: () throws -> Void, prepare: (ClientConnection) throws -> Void,
        _ body: (ClientConnection) throws -> Result
    ) throws -> Result {
        let connection: ClientConnection
        if let old = take(of: keeper) {
            connection = old
        } else {
            connection = try takeNew(from: pool, while: check, connect)
            do { try prepare(connection) } catch {
                drop(connection, of: pool)
                throw error
            }
        }
        do {
            let result = try body(connection)
            rest(connection, of: keeper, in: pool)
            return result
        } catch {
            if isHarmless(error) { rest(connection, of: keeper, in: pool) } else { drop(connection, of: pool) }
            throw error
        }
    }

    /// Ends the connection that `keeper` has at rest.
    func end(of keeper: ObjectIdentifier, in pool: ConnectionPool) {
        if let connection = take(of: keeper) { drop(connection, of: pool) }
    }

    private func take(of keeper: ObjectIdentifier) -> ClientConnection? {
        monitor.withLock { _ in
            guard let index = resting.firstIndex(where: { $0.keeper == keeper }) else { return nil }
            return resting.remove(at: index).connection
        }
    }

    private func takeNew(
        from pool: ConnectionPool, while check: () throws -> Void, _ connect: () throws -> ClientConnection
    ) throws -> ClientConnection {
        let oldest: ClientConnection? = monitor.withLock { _ in
            count += 1
            return superfluous()
        }
        if let oldest { pool.drop(oldest) }
        do { return try pool.take(while: check, connect) } catch {
            forget()
            throw error
        }
    }

    private func rest(_ connection: ClientConnection, of keeper: ObjectIdentifier, in pool: ConnectionPool) {
        let oldest: ClientConnection? = monitor.withLock { _ in
            resting.append((keeper, connection))
            return superfluous()
        }
        if let oldest { pool.drop(oldest) }
    }

    /// Removes the least recently used connection at rest where more are kept than may rest, and returns it.
    ///
    /// One at a time is enough, since each call asks when it takes a connection and when it lets one rest.
    private func superfluous() -> ClientConnection? {
        guard count > ClientLimits.keptConnections, !resting.isEmpty else { return nil }
        count -= 1
        return resting.removeFirst().connection
    }

    private func drop(_ connection: ClientConnection, of pool: ConnectionPool) {
        pool.drop(connection)
        forget()
    }

    private func forget() { monitor.withLock { _ in count -= 1 } }
}
