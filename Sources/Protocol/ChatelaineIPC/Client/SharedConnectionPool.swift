import Synchronization

/// The one connection pool of this process, renewed after fork(2).
///
/// A fork can happen while a lock is held, so no lock protects the pool. An atomic reference holds it, and a pool that
/// was replaced in a child is never freed.
final class SharedConnectionPool: Sendable {
    private let reference = Atomic<UInt>(0)

    deinit {
        guard let last = UnsafeRawPointer(bitPattern: reference.load(ordering: .acquiring)) else { return }
        // SAFETY: `install` retained this pool, and nobody can ask for it any more; calls under way hold their own
        // reference. One inherited from a parent stays, as ever.
        let pool = Unmanaged<ConnectionPool>.fromOpaque(last)
        if pool.takeUnretainedValue().belongsToThisProcess { pool.release() }
    }

    var pool: ConnectionPool {
        let address = reference.load(ordering: .acquiring)
        let inherited = UnsafeRawPointer(bitPattern: address).map {
            // SAFETY: the address is that of a pool that `install` retained, and only `deinit` releases.
            Unmanaged<ConnectionPool>.fromOpaque($0).takeUnretainedValue()
        }
        if let inherited, inherited.belongsToThisProcess { return inherited }
        return install(in: address, inheriting: inherited)
    }

    private func install(in place: UInt, inheriting inherited: ConnectionPool?) -> ConnectionPool {
        let fresh = Unmanaged.passRetained(ConnectionPool())
        let (isMine, winner) = reference.compareExchange(
            expected: place, desired: UInt(bitPattern: fresh.toOpaque()), ordering: .acquiringAndReleasing)
        guard isMine else {
            fresh.release()
            // SAFETY: as above; another thread of this process was faster.
            return UnsafeRawPointer(bitPattern: winner).map {
                Unmanaged<ConnectionPool>.fromOpaque($0).takeUnretainedValue()
            } ?? pool
        }
        inherited?.closeInherited()
        return fresh.takeUnretainedValue()
    }
}
