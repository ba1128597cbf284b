import ChatelaineModel
import ItemStore
import StoreEngine

/// The snapshots of an open keychain, which lie in the daemon's folder and are sealed like the file.
extension FileKeychain {
    /// Takes the daily snapshot if it is due; failures go to the log.
    ///
    /// A lock aborts it without waiting.
    package func takeSnapshotIfDue(of store: ItemStore) {
        places.open.withSnapshots(of: store.identifier) { store.takeSnapshotIfDue(isNeededHere: true) }
    }

    /// Takes a snapshot now, which is on disk when it returns; a lock aborts it.
    package func takeSnapshot(of store: ItemStore) throws(KeychainError) -> Snapshot {
        try places.open.withSnapshots(of: store.identifier) { () throws(KeychainError) in
            try store.takeSnapshot(.request)
        }
    }

    /// The keychain's snapshots, whether it is locked or not.
    package func snapshots() throws(KeychainError) -> [Snapshot] { try snapshots(of: header().keychain).list() }

    /// Deletes some of the snapshots; waits for one that is being taken.
    package func deleteSnapshots(
        _ delete: (StoreSnapshots) throws(KeychainError) -> [Snapshot]
    ) throws(KeychainError) -> [Snapshot] {
        let keychain = try header().keychain
        let snapshots = snapshots(of: keychain)
        return try places.open.withSnapshots(of: keychain) { () throws(KeychainError) in try delete(snapshots) }
    }

    func snapshots(of keychain: StoreIdentifier) -> StoreSnapshots {
        StoreSnapshots(ofKeychain: places.store(of: keychain), mark: places.mark(of: keychain), clock: clock)
    }
}
