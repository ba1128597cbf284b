import ChatelaineModel
import ItemStore
import StoreEngine

/// Copies of a keychain that are taken while it is open. They lie in our folder, and are sealed as the file is.
extension FileKeychain {
    /// Takes the snapshot of the day, if one is due; failures are logged. A lock ends it, and does not wait for it.
    package func takeSnapshotIfDue(of store: ItemStore) {
        places.open.withSnapshots(of: store.identifier) { store.takeSnapshotIfDue(isNeededHere: true) }
    }
}
