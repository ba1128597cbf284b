import ChatelaineModel

/// A snapshot as a file of its own, of a store whose keys nobody has at hand.
///
/// It is opened as any older copy of the store is: what it says is as its seals say, and what it lacks is told by the mark.
extension StoreSnapshots {
    /// Copies one to a file that is not there yet, in the newest format and with other properties; on disk when it returns.
    ///
    /// - Throws: `errSecItemNotFound`; `errSecNotAvailable` for a snapshot that is damaged or another store's, and for a full disk.
    package func copy(
        _ name: String, of store: StoreIdentifier, to path: String, with properties: StoreProperties
    ) throws(KeychainError) -> Snapshot {
        guard let snapshot = try folder[name] else {
            throw KeychainError(.itemNotFound, "there is no snapshot of that name; see “security snapshot list”")
        }
        let database = folder.database(of: name)
        let head = try SnapshotReader.reading(database, schema) { (reader) throws(KeychainError) in
            try reader.checkStructure()
            return try reader.head()
        }
        guard head.store == store else {
            throw KeychainError(
                cause: .unusableSnapshot, "the snapshot \(name) is one of another keychain; nothing was changed")
        }
        try StoreFolder.copy(database, to: path)
        let writer = try StoreWriter(path: path, schema: schema, clock: clock, health: StoreHealth()) { _ in }
        try writer.write(properties)
        try writer.close()
        try StoreFolder.sync(path)
        return snapshot
    }

    /// Where a store goes that a snapshot takes the place of: a path that is not taken, in a folder that is there.
    ///
    /// - Throws: `errSecNotAvailable` where as many are kept there as may be.
    package func placeAside() throws(KeychainError) -> String {
        try StoreFolder.makeDurable(places.quarantine)
        let activation = StoreActivation(places: places, clock: clock, purpose: .restoration)
        return "\(places.quarantine)/\(try activation.freshQuarantineName())"
    }

    /// Puts down in the list of losses that a snapshot takes the place of what is kept there; before it does.
    package func note(_ snapshot: Snapshot, replacing aside: String) throws(KeychainError) {
        try LossList(places, clock: clock).append([
            (
                .storeRestored,
                [("snapshot", .text(snapshot.name)), ("folder", .text(String(aside.split(separator: "/").last ?? "")))]
            )
        ])
    }
}
