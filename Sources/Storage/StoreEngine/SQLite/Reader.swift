import ChatelaineModel
import Glibc

/// A reading connection and its prepared statements.
///
/// All that it reads belongs to one state of the store, from ``beginSnapshot(at:)`` to ``endSnapshot()``. A snapshot
/// outlasts a look-up: taking one and giving it up again costs two file locks, a tenth of the whole look-up.
// `@unchecked Sendable`: ``ReaderPool`` hands each to one thread at a time, with a lock in between.
package final class Reader: @unchecked Sendable {
    /// How long a snapshot is used on, in milliseconds. Our own changes end it at once; this is for what another process
    /// may do to the file, such as somebody's `sqlite3`.
    static let snapshotMilliseconds: Int64 = 20

    package let statements: StatementCache
    private let connection: ReadConnection
    private let watch: SchemaWatch
    /// The count of changes at which the snapshot was taken, and when.
    private var snapshot: (changes: UInt64, time: Int64)?
    /// For statements that are not worth keeping.
    package var handle: OpaquePointer { connection.handle }

    init(path: String, schema: RowSchema) throws(KeychainError) {
        connection = try ReadConnection(reading: path)
        statements = StatementCache(connection.handle, schema)
        watch = SchemaWatch(connection.handle, schema, statements)
    }

    /// Sees to it that there is a snapshot which is not older than the `changes` counted so far.
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

    /// Whether the snapshot is that of this count of changes.
    func hasSnapshot(at changes: UInt64) -> Bool { snapshot?.changes == changes }

    func endSnapshot() throws(KeychainError) {
        guard snapshot != nil else { return }
        snapshot = nil
        try statements[.end].run()
    }

    /// Coarse, and therefore cheap: a look at a page that the kernel keeps up to date.
    private static var milliseconds: Int64 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &now)
        return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
    }
}
