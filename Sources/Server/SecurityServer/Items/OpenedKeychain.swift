import ChatelaineSystem
import ItemStore

/// Everything that depends on a store being open.
///
/// A reference, because every request passes it on.
package final class OpenedKeychain: Sendable {
    package let store: ItemStore
    let requests: RequestDigests
    /// The database's file, as it was when it was opened; nil of a file keychain, which sees to that itself.
    let file: FileIdentity?
    /// Which opening it is: versions of rows, and answers about them, count within one epoch.
    let epoch: Int

    init(store: ItemStore, file: FileIdentity?, epoch: Int) {
        self.store = store
        requests = RequestDigests(store.keys)
        self.file = file
        self.epoch = epoch
    }
}
