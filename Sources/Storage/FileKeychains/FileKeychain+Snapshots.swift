import ChatelaineModel
import ItemStore
import StoreEngine

/// Copies of a keychain that are taken while it is open. They lie in our folder, and are sealed as the file is.
extension FileKeychain {
    /// Takes the snapshot of the day, if one is due; failures are logged. A lock ends it, and does not wait for it.
    package func takeSnapshotIfDue(of store: ItemStore) {
        places.open.withSnapshots(of: store.identifier) { store.takeSnapshotIfDue(isNeededHere: true) }
    }

    /// Takes one now; on disk when it returns. A lock ends it.
    package func takeSnapshot(of store: ItemStore) throws(KeychainError) -> Snapshot {
        try places.open.withSnapshots(of: store.identifier) { () throws(KeychainError) in
            try store.takeSnapshot(.request)
        }
    }

    /// Those that there are, be it locked or not.
    package func snapshots() throws(KeychainError) -> [Snapshot] { try snapshots(of: header().keychain).list() }

    /// Deletes some of them; waits for one that is being taken.
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
