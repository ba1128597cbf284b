import ChatelaineModel
import GRDBSQLite
import Glibc

/// The snapshots of a store, each in a folder beside the store, with the limits for their number and size.
struct SnapshotFolder: Sendable {
    /// The most snapshots: one for each day of a week.
    static let maximumCount = 7
    /// The most bytes: two snapshots of a store with a million items.
    ///
    /// The newest snapshot stays, however large it is.
    static let maximumBytes: Int64 = 2 << 30
    /// The free bytes that a snapshot leaves on the disk, so that the copy itself does not fill it.
    static let reservedBytes: UInt64 = 32 << 20
    /// The longest name that a caller may give: a date, a hyphen, and any number.
    private static let nameBytes = 64
    /// The ending of a folder's name while it is being written or deleted; no such folder counts as a snapshot.
    private static let unfinished = ".part"

    let path: String
    let clock: StoreClock

    init(_ places: StorePlaces, clock: StoreClock) {
        path = places.snapshots
        self.clock = clock
    }

    /// The snapshots, the newest first; folders without a sound manifest are left out.
    func list() throws(KeychainError) -> [Snapshot] {
        guard try StoreFolder.exists(path) else { return [] }
        var snapshots: [Snapshot] = []
        for name in try StoreFolder.names(in: path).sorted(by: >) where !name.hasSuffix(Self.unfinished) {
            if let snapshot = try self[name] { snapshots.append(snapshot) }
        }
        return snapshots
    }

    /// The snapshot of a name; nil without one.
    subscript(name: String) -> Snapshot? {
        get throws(KeychainError) {
            let manifest = "\(path)/\(name)/\(Snapshot.manifest)"
            guard Self.isName(name), try StoreFolder.kind(of: manifest) == S_IFREG,
                let content = try StoreFolder.read(manifest, limit: Snapshot.maximumManifestBytes)
            else { return nil }
            return content.withUnsafeBytes { try? Snapshot(name: name, decoding: $0) }
        }
    }

    func database(of name: String) -> String { "\(path)/\(name)/\(StoreFiles.database)" }

    /// Whether a text can be the name of a snapshot's folder; it comes from a caller, and becomes part of a path.
    static func isName(_ name: String) -> Bool {
        name.utf8.count <= nameBytes && name.utf8.contains(UInt8(ascii: "-"))
            && name.utf8.allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || [UInt8(ascii: "T"), UInt8(ascii: "Z"), UInt8(ascii: "-")].contains(byte)
            }
    }

    // MARK: Taking one

    /// A folder that is being filled with a copy of a database.
    struct Draft: Sendable {
        let name: String
        let folder: String
        var database: String { folder + "/" + StoreFiles.database }
    }

    /// Begins a snapshot of a database of the given size.
    ///
    /// - Throws: `errSecNotAvailable` where the disk has no room for it.
    func begin(bytes: Int64) throws(KeychainError) -> Draft {
        try StoreFolder.makeDurable(path)
        try clearUnfinished()
        guard try StoreFolder.freeBytes(path) > UInt64(max(0, bytes)) + Self.reservedBytes else {
            throw KeychainError(
                cause: .full,
                "the disk has no room for a snapshot of \(bytes) bytes; free some space, or delete older ones with “security "
                    + "snapshot purge”")
        }
        let name = try StorePlaces.freshName(in: path, clock: clock)
        let draft = Draft(name: name, folder: "\(path)/\(name)\(Self.unfinished)")
        guard StoreFolder.repeated({ mkdir(draft.folder, 0o700) }) == 0 else {
            throw KeychainError(file: draft.folder, "making the folder")
        }
        try StoreFolder.write([], to: draft.database)
        return draft
    }

    /// Removes unfinished snapshots, which a daemon left that ended while it wrote.
    func clearUnfinished() throws(KeychainError) {
        guard try StoreFolder.exists(path) else { return }
        for name in try StoreFolder.names(in: path) where name.hasSuffix(Self.unfinished) {
            try StoreFolder.remove("\(path)/\(name)")
        }
    }

    /// Verifies a copy, makes it durable and names it; then removes snapshots beyond the limits.
    func finish(
        _ draft: Draft, _ schema: RowSchema, reason: SnapshotReason
    ) throws(KeychainError) -> Snapshot {
        try StoreFolder.sync(draft.database)
        let snapshot = try Self.verify(draft, schema, date: clock.now(), reason: reason)
        try StoreFolder.write(snapshot.encode(), to: "\(draft.folder)/\(Snapshot.manifest)")
        try StoreFolder.sync(draft.folder)
        try StoreFolder.move(draft.folder, to: "\(path)/\(draft.name)")
        try thin()
        return snapshot
    }

    func abandon(_ draft: Draft) { try? StoreFolder.remove(draft.folder) }

    private static func verify(
        _ draft: Draft, _ schema: RowSchema, date: Double, reason: SnapshotReason
    ) throws(KeychainError) -> Snapshot {
        let reader = try SnapshotReader(database: draft.database, schema: schema)
        try reader.checkStructure()
        let head = try reader.head()
        return Snapshot(
            name: draft.name, store: head.store, sequence: head.sequence, date: date, reason: reason,
            items: try reader.rowCount(), bytes: try StoreFolder.size(draft.database),
            schemaVersion: head.schemaVersion)
    }

    // MARK: Deleting

    /// Deletes a snapshot for good; throws `errSecItemNotFound` for an unknown name.
    func remove(_ name: String) throws(KeychainError) {
        guard Self.isName(name), try StoreFolder.exists("\(path)/\(name)") else {
            throw KeychainError(.itemNotFound, "there is no snapshot of that name; see “security snapshot list”")
        }
        // The name is changed first, so that a partly deleted snapshot never counts as one.
        let dying = "\(path)/\(name)\(Self.unfinished)"
        try StoreFolder.move("\(path)/\(name)", to: dying)
        try StoreFolder.remove(dying)
        try StoreFolder.sync(path)
    }

    /// Deletes folders that have a snapshot's name and no sound manifest.
    ///
    /// None of them is listed, and each may have a whole store in it.
    func removeUnlisted() throws(KeychainError) {
        guard try StoreFolder.exists(path) else { return }
        for name in try StoreFolder.names(in: path).sorted() where Self.isName(name) {
            guard try self[name] == nil, try StoreFolder.kind(of: "\(path)/\(name)") == S_IFDIR else { continue }
            try remove(name)
        }
    }

    /// Deletes the oldest snapshots until count and size are within the limits; the newest stays.
    private func thin() throws(KeychainError) {
        var bytes: Int64 = 0
        for (index, snapshot) in try list().enumerated() {
            bytes += snapshot.bytes
            if index > 0, index >= Self.maximumCount || bytes > Self.maximumBytes { try remove(snapshot.name) }
        }
    }
}
