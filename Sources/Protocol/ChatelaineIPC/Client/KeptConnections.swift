/// Connections that one keeper each has for itself between its calls, since the daemon remembers something on them.
///
/// A process has ``ClientLimits/keptConnections`` of them at a time. A further one takes the place of the least
/// recently used one. The daemon forgets what it remembered on the ended connection, and a person is asked again.
// `@unchecked Sendable`: `resting` and `count` are touched under `monitor`; a connection belongs to the call that took
// it.
final class KeptConnections: @unchecked Sendable {
    private let monitor = Monitor()
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
    func withConnection<Result>(
        of keeper: ObjectIdentifier, from pool: ConnectionPool, connect: () throws -> ClientConnection,
        isHarmless: (any Error) -> Bool, prepare: (ClientConnection) throws -> Void,
        _ body: (ClientConnection) throws -> Result
    ) throws -> Result {
        let connection: ClientConnection
        if let old = take(of: keeper) {
            connection = old
        } else {
            connection = try takeNew(from: pool, connect)
            do { try prepare(connection) } catch {
                drop(connection, of: pool)
                throw error
            }
        }
        do {
            let result = try body(connection)
            rest(connection, of: keeper)
            return result
        } catch {
            if isHarmless(error) { rest(connection, of: keeper) } else { drop(connection, of: pool) }
            throw error
        }
    }

    /// Ends the connection that `keeper` has at rest.
    func end(of keeper: ObjectIdentifier, in pool: ConnectionPool) {
        if let connection = take(of: keeper) { drop(connection, of: pool) }
    }

    private func take(of keeper: ObjectIdentifier) -> ClientConnection? {
        monitor.locked {
            guard let index = resting.firstIndex(where: { $0.keeper == keeper }) else { return nil }
            return resting.remove(at: index).connection
        }
    }

    private func takeNew(
        from pool: ConnectionPool, _ connect: () throws -> ClientConnection
    ) throws -> ClientConnection {
        let oldest: ClientConnection? = monitor.locked {
            while count == ClientLimits.keptConnections, resting.isEmpty { monitor.wait() }
            if count == ClientLimits.keptConnections { return resting.removeFirst().connection }
            count += 1
            return nil
        }
        if let oldest { pool.drop(oldest) }
        do { return try pool.take(connect) } catch {
            forget()
            throw error
        }
    }

    private func rest(_ connection: ClientConnection, of keeper: ObjectIdentifier) {
        monitor.locked { resting.append((keeper, connection)) }
        monitor.signal()
    }

    private func drop(_ connection: ClientConnection, of pool: ConnectionPool) {
        pool.drop(connection)
        forget()
    }

    private func forget() {
        monitor.locked { count -= 1 }
        monitor.signal()
    }
}
