import ChatelaineModel
import ChatelaineSystem
import Synchronization

/// The reading connections of a store: opened on demand, lent to one thread at a time, ``maximumReaders`` at the most.
///
/// WAL lets them read while the writer writes. The connection that was used last is lent first, because its cache is
/// warm. A reader must not read again from inside `read`: all connections could wait for one more.
///
/// An idle connection keeps its snapshot for the next look-up, but never across a change. An old snapshot would show a
/// past state, and would hold up the checkpoint that moves the log into the database. So ``changeBegins()`` ends all
/// idle snapshots, and none is kept until ``changeEnds()``.
package final class ReaderPool: Sendable {
    /// More readers than cores are useless: no thread waits while it holds a connection.
    static let maximumReaders = 4

    private let path: String
    private let schema: RowSchema
    private let health: StoreHealth
    private let idle = AdaptiveMutex<[Reader]>([])
    private let slots = CountingSemaphore(ReaderPool.maximumReaders)
    /// The number of beginnings and ends of changes; odd during a change, of which there is one at a time.
    private let changes = Atomic<UInt64>(0)

    init(path: String, schema: RowSchema, health: StoreHealth) {
        self.path = path
        self.schema = schema
        self.health = health
    }

    /// Runs `body` on one state of the store.
    // `@inlinable`, so that the compiler specializes it for each caller's value; the helpers below are shared.
    @inlinable
    package func read<Value>(_ body: (Reader) throws(KeychainError) -> Value) throws(KeychainError) -> Value {
        wait()
        defer { signal() }
        do {
            let reader = try take()
            // A connection that met an error is closed and not returned.
            let value = try body(reader)
            try give(back: reader)
            return value
        } catch {
            guard isWorthASecondLook(error) else { throw error }
            return try confirm(body)
        }
    }

    /// Reads again on a new connection with an empty cache: only damage that this reading finds is damage of the file.
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

    /// Takes a connection whose snapshot shows the last state.
    @usableFromInline
    func take() throws(KeychainError) -> Reader {
        let reader =
            if let warm = idle.withLock({ $0.popLast() }) { warm } else { try Reader(path: path, schema: schema) }
        // The count is read before the snapshot begins: a snapshot that is newer than its count does no harm.
        try reader.beginSnapshot(at: changes.load(ordering: .acquiring))
        return reader
    }

    /// Ends the idle snapshots; the owner of the writing connection calls this before each change.
    func changeBegins() {
        changes.wrappingAdd(1, ordering: .acquiringAndReleasing)
        idle.withLock { readers in
            readers.removeAll { reader in
                do throws(KeychainError) { try reader.endSnapshot() } catch { return true }
                return false
            }
        }
    }

    /// Closes the idle connections.
    func closeIdle() { idle.withLock { $0.removeAll() } }

    /// Ends a change; from now on readers see the new state.
    func changeEnds() { changes.wrappingAdd(1, ordering: .acquiringAndReleasing) }

    @usableFromInline
    func give(back reader: Reader) throws(KeychainError) {
        // The check holds the lock: a change that begins either finds the reader idle, or is noticed here.
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
