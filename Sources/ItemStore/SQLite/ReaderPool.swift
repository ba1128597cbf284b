import ChatelaineModel
import Synchronization

/// The reading connections of a store: opened on demand, handed to one thread at a time, a few at the most.
///
/// WAL lets them read while the writer writes. The one used last is handed out first, because its cache is warm. Do
/// not read inside a reading: all connections could wait for one more.
final class ReaderPool: Sendable {
    /// More than the machine has cores is of no use: nothing waits while it holds a connection.
    static let maximumReaders: UInt32 = 4

    private let path: String
    private let idle = Mutex<[Reader]>([])
    private let slots = CountingSemaphore(ReaderPool.maximumReaders)

    init(path: String) { self.path = path }

    func read<Value>(_ body: (Reader) throws(KeychainError) -> Value) throws(KeychainError) -> Value {
        slots.wait()
        defer { slots.signal() }
        let reader = if let warm = idle.withLock({ $0.popLast() }) { warm } else { try Reader(path: path) }
        // A connection that met an error is closed rather than handed on.
        let value = try body(reader)
        idle.withLock { $0.append(reader) }
        return value
    }
}
