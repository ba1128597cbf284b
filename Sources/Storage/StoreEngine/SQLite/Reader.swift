import ChatelaineModel
import Glibc

/// A reading connection with its prepared statements.
///
/// All reads between ``beginSnapshot(at:)`` and ``endSnapshot()`` see one state of the store. A snapshot outlasts a
/// look-up: beginning and ending one costs two file locks, a tenth of the whole look-up.
// `@unchecked Sendable`: ``ReaderPool`` lends each reader to one thread at a time, with a lock in between.
package final class Reader: @unchecked Sendable {
    /// How long a snapshot is used, in milliseconds.
    ///
    /// The store's own changes end it at once. The limit covers changes by another process, such as a user's `sqlite3`.
    static let snapshotMilliseconds: Int64 = 20

    package let statements: StatementCache
    /// The connection of its own; nil for a reader of the writing connection.
    private let connection: ReadConnection?
    private let watch: SchemaWatch
    /// The count of changes at the beginning of the snapshot, and its time.
    private var snapshot: (changes: UInt64, time: Int64)?
    /// The bare connection, for statements that are not worth keeping.
    package let handle: OpaquePointer

    init(path: String, schema: RowSchema) throws(KeychainError) {
        let connection = try ReadConnection(reading: path)
        self.connection = connection
        handle = connection.handle
        statements = StatementCache(connection.handle, schema)
        watch = SchemaWatch(connection.handle, schema, statements)
    }

    /// Reads on a connection of somebody else's, which outlives the reader.
    init(_ handle: OpaquePointer, _ statements: StatementCache, _ watch: SchemaWatch) {
        connection = nil
        (self.handle, self.statements, self.watch) = (handle, statements, watch)
    }

    /// Keeps the present snapshot if it matches `changes` and is recent, or begins a new one.
    func beginSnapshot(at changes: UInt64) throws(KeychainError) {
        let now = Self.milliseconds
        if let snapshot {
            guard snapshot.changes != changes || now - snapshot.time > Self.snapshotMilliseconds else { return }
            try endSnapshot()
        }
        try statements[.begin].run()
        snapshot = (changes, now)
        try watch.verify()
    }

    /// Whether the present snapshot was begun at this count of changes.
    func hasSnapshot(at changes: UInt64) -> Bool { snapshot?.changes == changes }

    func endSnapshot() throws(KeychainError) {
        guard snapshot != nil else { return }
        snapshot = nil
        try statements[.end].run()
    }

    /// The coarse time, which is cheap: the kernel keeps it in a shared page.
    private static var milliseconds: Int64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &now)
        return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
    }
}
