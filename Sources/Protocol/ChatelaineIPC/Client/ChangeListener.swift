import CChatelaine
import ChatelaineModel
import ChatelaineSystem
import Glibc

/// Receives notifications of changes to the items that this program may see, over a connection of its own.
///
/// A process has one listener at a time, and one thread uses it. The listener has no thread: ``next(milliseconds:)``
/// waits in the thread that calls it. A listener belongs to the process that made it: after fork(2) a child makes
/// another.
package final class ChangeListener {
    private let client: KeychainClient
    private let owner = chatelaine_process()
    /// nil once the connection was lost.
    private var connection: ClientConnection?

    /// Begins to listen: ``next(milliseconds:)`` reports every change from now on.
    ///
    /// - Throws: `errSecNotAvailable` where the process already has a listener, or too many processes have one; and
    ///   what every call throws.
    package init(_ client: KeychainClient = .shared) throws(KeychainError) {
        self.client = client
        connection = try client.subscribe(SubscribeToChanges())
    }

    deinit { end() }

    /// Waits for the next change; a lost connection counts as a change of everything.
    ///
    /// - Parameter milliseconds: how long to wait; -1 for ever.
    /// - Returns: nil where nothing changed in that time.
    /// - Throws: why there is no connection; the next call tries to connect again.
    package func next(milliseconds: Int32 = -1) throws(KeychainError) -> ChangeNotification? {
        guard owner == chatelaine_process() else {
            throw KeychainError(.notAvailable, "a listener for changes belongs to the process that made it")
        }
        if let connection {
            do {
                guard try connection.hasNotification || connection.awaitNotification(milliseconds) else {
                    return nil
                }
                return try connection.notification()
            } catch {
                // The daemon is gone, or ended the connection: changes since then are unknown.
                end()
                poll(nil, 0, ClientLimits.listeningPause)
            }
        }
        connection = try client.subscribe(SubscribeToChanges())
        return ChangeNotification(number: 0, keychain: nil)
    }

    /// Ends the connection for every process that inherited it, but only in the process that made it.
    private func end() {
        if let connection, owner == chatelaine_process() { shutdown(connection.descriptor, Int32(SHUT_RDWR)) }
        connection = nil
    }
}
