import ChatelaineModel

/// A snapshot as a separate file, of a store whose keys are not at hand.
///
/// The file is opened as any older copy of the store: its seals prove its contents, and the mark reveals missing
/// changes.
extension StoreSnapshots {
    /// Copies a snapshot to a new file, in the newest format and with other properties; on disk when it returns.
    ///
    /// - Throws: `errSecItemNotFound`; `errSecNotAvailable` for a damaged snapshot or one of another store, and for a
    ///   full disk.
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

    /// A free path for the store that a snapshot replaces, in an existing folder.
    ///
    /// - Throws: `errSecNotAvailable` where the most stores are kept there already.
    package func placeAside() throws(KeychainError) -> String {
        try StoreFolder.makeDurable(places.quarantine)
        let activation = StoreActivation(places: places, clock: clock, purpose: .restoration)
        return "\(places.quarantine)/\(try activation.freshQuarantineName())"
    }

    /// Records in the list of losses, before it happens, that a snapshot replaces the store that goes to `aside`.
    package func note(_ snapshot: Snapshot, replacing aside: String) throws(KeychainError) {
        try LossList(places, clock: clock).append([
            (
                .storeRestored,
                [("snapshot", .text(snapshot.name)), ("folder", .text(String(aside.split(separator: "/").last ?? "")))]
            )
        ])
    }
}
