import ChatelaineModel
import ChatelaineSystem
import Synchronization

/// The reading connections of a store: opened on demand, handed to one thread at a time, a few at the most.
///
/// WAL lets them read while the writer writes. The one used last is handed out first, because its cache is warm. Do
/// not read inside a reading: all connections could wait for one more.
///
/// A connection at rest keeps its snapshot for the next look-up, but never across a change: it would show the past, and
/// hold up the checkpoint that moves the log into the database. So ``changeBegins()`` ends all snapshots at rest, and
/// none is kept until ``changeEnds()``.
package final class ReaderPool: Sendable {
    /// More than the machine has cores is of no use: nothing waits while it holds a connection.
    static let maximumReaders = 4

    private let path: String
    private let schema: RowSchema
    private let health: StoreHealth
    private let idle = AdaptiveMutex<[Reader]>([])
    private let slots = CountingSemaphore(ReaderPool.maximumReaders)
    /// Beginnings and ends of changes; odd while one is under way, of which there is one at a time.
    private let changes = Atomic<UInt64>(0)

    init(path: String, schema: RowSchema, health: StoreHealth) {
        self.path = path
        self.schema = schema
        self.health = health
    }

    /// Runs `body` on one state of the store.
    // `@inlinable`, so that it is made for what each caller reads; the rest of it is the same for all.
    @inlinable
    package func read<Value>(_ body: (Reader) throws(KeychainError) -> Value) throws(KeychainError) -> Value {
        wait()
        defer { signal() }
        do {
            let reader = try take()
            // A connection that met an error is closed rather than handed on.
            let value = try body(reader)
            try give(back: reader)
            return value
        } catch {
            guard isWorthASecondLook(error) else { throw error }
            return try confirm(body)
        }
    }

    /// Looks once more, on a connection that has nothing in its memory: only what is damaged then is.
    @usableFromInline
    func confirm<Value>(_ body: (Reader) throws(KeychainError) -> Value) throws(KeychainError) -> Value {
        do {
            let reader = try Reader(path: path, schema: schema)
            try reader.beginSnapshot(at: changes.load(ordering: .acquiring))
            let value = try body(reader)
            try reader.endSnapshot()
            health.note(.suspect)
            return value
        } catch {
            if error.cause == .damage { health.note(.damaged) }
            throw error
        }
    }

    @usableFromInline
    func wait() { slots.wait() }

    @usableFromInline
    func signal() { slots.signal() }

    @usableFromInline
    func isWorthASecondLook(_ error: KeychainError) -> Bool {
        if error.cause == .busy { health.noteLock() }
        return error.cause == .damage
    }

    /// A connection with a snapshot of the last state.
    @usableFromInline
    func take() throws(KeychainError) -> Reader {
        let reader =
            if let warm = idle.withLock({ $0.popLast() }) { warm } else { try Reader(path: path, schema: schema) }
        // Counted before the snapshot is taken: one that is newer than it says does no harm.
        try reader.beginSnapshot(at: changes.load(ordering: .acquiring))
        return reader
    }

    /// Ends the snapshots at rest; call it before a change, by whoever has the writing connection.
    func changeBegins() {
        changes.wrappingAdd(1, ordering: .acquiringAndReleasing)
        idle.withLock { readers in
            readers.removeAll { reader in
                do throws(KeychainError) { try reader.endSnapshot() } catch { return true }
                return false
            }
        }
    }

    /// Ends the connections at rest.
    func closeIdle() { idle.withLock { $0.removeAll() } }

    /// From now on what is read is the new state.
    func changeEnds() { changes.wrappingAdd(1, ordering: .acquiringAndReleasing) }

    @usableFromInline
    func give(back reader: Reader) throws(KeychainError) {
        // Under the lock, so that a change which begins either finds it at rest or is noticed here.
        let isKept = idle.withLock { readers in
            let now = changes.load(ordering: .acquiring)
            guard now.isMultiple(of: 2), reader.hasSnapshot(at: now) else { return false }
            readers.append(reader)
            return true
        }
        if isKept { return }
        try reader.endSnapshot()
        idle.withLock { $0.append(reader) }
    }
}
