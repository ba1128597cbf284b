import CChatelaine
import ChatelaineModel
import ChatelaineSystem
import Glibc

/// Receives events of file keychains, over a connection of its own.
///
/// One thread waits for events, and any thread may end the listener. Once it listens, it starts no daemon: after the
/// end of a session no daemon is needed, and a program that changes a keychain starts one. A listener belongs to the
/// process that made it.
package final class KeychainEventListener: Sendable {
    // `@unchecked Sendable`: one thread reads from the connection, and others do no more than end it.
    private struct Listening: @unchecked Sendable { let connection: ClientConnection }

    private struct State: Sendable {
        /// Nil while the connection is lost.
        var current: Listening?
        var isEnded = false
    }

    private let client: KeychainClient
    private let owner = chatelaine_process()
    private let state: AdaptiveMutex<State>

    /// Begins to listen: ``next()`` reports every event from now on.
    ///
    /// - Throws: `errSecNotAvailable` where too many processes listen; and what every call throws.
    package init(_ client: KeychainClient = .shared) throws(KeychainError) {
        self.client = client
        let listening = Listening(connection: try client.subscribe(SubscribeToKeychainEvents()))
        state = AdaptiveMutex(State(current: listening))
    }

    /// Waits for the next event; returns ``KeychainEvent/anything`` where the connection was lost and made again.
    ///
    /// - Returns: nil once the listener was ended.
    package func next() -> KeychainEvent? {
        var pause = ClientLimits.listeningPause
        while true {
            let state = state.withLock { $0 }
            if state.isEnded { return nil }
            if let connection = state.current?.connection {
                do {
                    if try connection.hasNotification || connection.awaitNotification(-1) {
                        return try connection.notification(limit: FrameLimits.keychainEventBytes)
                    }
                } catch {
                    // The daemon is gone, or ended the connection.
                    lose(connection)
                }
            }
            poll(nil, 0, pause)
            pause = min(2 * pause, ClientLimits.longestListeningPause)
            if begin() { return .anything }
        }
    }

    /// Ends the listener, and with it the wait of ``next()``.
    package func end() {
        let current = state.withLock { state in
            state.isEnded = true
            return state.current
        }
        // A forked child must not shut down its parent's connection.
        guard let connection = current?.connection, owner == chatelaine_process() else { return }
        shutdown(connection.descriptor, Int32(SHUT_RDWR))
    }

    private func begin() -> Bool {
        guard owner == chatelaine_process(),
            let connection = try? client.subscribeIfRunning(SubscribeToKeychainEvents())
        else { return false }
        let listening = Listening(connection: connection)
        let isEnded = state.withLock { state in
            state.current = listening
            return state.isEnded
        }
        if isEnded { lose(connection) }
        return !isEnded
    }

    private func lose(_ connection: ClientConnection) {
        shutdown(connection.descriptor, Int32(SHUT_RDWR))
        state.withLock { $0.current = nil }
    }
}
