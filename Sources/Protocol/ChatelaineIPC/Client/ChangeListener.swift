import CChatelaine
import ChatelaineModel
import ChatelaineSystem
import Glibc

/// Hears of changes of the items that this program may see, over a connection that carries nothing else.
///
/// A process has one at a time, and one thread asks it. It waits for notifications in the thread that asks for them, and has none of its
/// own. It belongs to the process that made it: after fork(2) a child makes another.
package final class ChangeListener {
    private let client: KeychainClient
    private let owner = chatelaine_process()
    /// nil once it was lost.
    private var connection: ClientConnection?

    /// Begins to listen: whatever changes from now on, ``next(milliseconds:)`` tells.
    ///
    /// Throws `errSecNotAvailable` where the process has a listener, or too many processes have one; and what every call throws.
    package init(_ client: KeychainClient = .shared) throws(KeychainError) {
        self.client = client
        connection = try client.subscribe(SubscribeToChanges())
    }

    deinit { end() }

    /// Waits for the next change, and says that everything may have changed where the connection was lost meanwhile.
    ///
    /// - Parameter milliseconds: how long to wait; -1 for ever.
    /// - Returns: nil where nothing changed in that time.
    /// - Throws: why there is no connection any more; the next call tries again.
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
                // The daemon is gone, or has ended the connection: what changed since nobody tells us.
                end()
                poll(nil, 0, ClientLimits.listeningPause)
            }
        }
        connection = try client.subscribe(SubscribeToChanges())
        return ChangeNotification(number: 0, keychain: nil)
    }

    /// Ends the connection for every process that has inherited it, but only where it is our own.
    private func end() {
        if let connection, owner == chatelaine_process() { shutdown(connection.descriptor, Int32(SHUT_RDWR)) }
        connection = nil
    }
}
