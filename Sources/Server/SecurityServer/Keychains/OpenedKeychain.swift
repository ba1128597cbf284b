import ChatelaineSystem
import ItemStore

/// An open store, and everything that depends on it.
///
/// It is a reference, because every request passes it on.
package final class OpenedKeychain: Sendable {
    package let store: ItemStore
    let requests: RequestDigests
    /// The file of the database when it was opened; nil for a file keychain, which checks that itself.
    let file: FileIdentity?
    /// The number of the opening.
    ///
    /// Versions of rows, and answers about them, count within one epoch.
    let epoch: Int

    init(store: ItemStore, file: FileIdentity?, epoch: Int) {
        self.store = store
        requests = RequestDigests(store.keys)
        self.file = file
        self.epoch = epoch
    }
}
