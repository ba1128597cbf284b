import CChatelaine
import ChatelaineSystem
import Glibc
import Synchronization

/// The allocator of secret memory.
///
/// Small blocks come from regions that are mapped and locked once and split into size classes. A lock for each secret
/// would cost two system calls. A large block gets pages of its own. They are wiped and kept out of dumps, but not
/// locked: an ordinary user may lock 8 MiB, and a secret may have 16.
package enum SecretArena {
    /// A block above this size gets pages of its own and is not locked.
    static let largestLockedBlock = 64 * 1024
    /// The size of a region: room for the keys and the traffic of a daemon at rest, and little of the lockable 8 MiB.
    static let regionSize = 256 * 1024
    /// The smallest block, which holds one 256-bit key.
    static let smallestBlock = 32

    private static let locking = Atomic<Bool>(false)
    private static let pool = AdaptiveMutex(SecretPool())

    /// Makes this process use locked regions from now on; a daemon calls it before it holds the first secret.
    package static func lockPages() { locking.store(true, ordering: .relaxed) }

    /// Whether this process locks regions, how many bytes are locked, and how many could not be.
    package static var usage: (isLocking: Bool, lockedBytes: Int, unlockedBytes: Int) {
        let isLocking = locking.load(ordering: .relaxed)
        return pool.withLock { (isLocking, $0.lockedBytes, $0.unlockedBytes) }
    }

    /// A zeroed block of at least `count` bytes, or nil when memory is exhausted.
    static func allocate(_ count: Int, isPooled: Bool) -> UnsafeMutableRawBufferPointer? {
        guard isPooled else {
            // SAFETY: calloc gives `count` zeroed bytes or nil; released by `release` below with the same capacity.
            return calloc(1, max(count, smallestBlock)).map {
                UnsafeMutableRawBufferPointer(start: $0, count: max(count, smallestBlock))
            }
        }
        if count > largestLockedBlock {
            // SAFETY: fresh pages of this size, owned by the caller until `release`.
            return chatelaine_pages_map(count).map { UnsafeMutableRawBufferPointer(start: $0, count: count) }
        }
        let block = pool.withLock { UInt(bitPattern: $0.take(atLeast: count)) }
        return UnsafeMutableRawPointer(bitPattern: block).map {
            UnsafeMutableRawBufferPointer(start: $0, count: SecretPool.capacity(for: count))
        }
    }

    /// Wipes a block and returns it to the allocator.
    ///
    /// - Parameter touched: how many bytes at its beginning may have been written; the others are still zero.
    static func release(_ block: UnsafeMutableRawBufferPointer, touched: Int, isPooled: Bool) {
        guard let base = block.baseAddress else { return }
        ChatelaineMemory.wipe(UnsafeMutableRawBufferPointer(rebasing: block[..<touched]))
        if !isPooled {
            free(base)
        } else if block.count > largestLockedBlock {
            chatelaine_pages_unmap(base, block.count)
        } else {
            let address = UInt(bitPattern: base)
            pool.withLock { $0.give(back: address, capacity: block.count) }
        }
    }

    /// Whether blocks allocated now come from locked regions; each owner remembers it for the release.
    static var isPooling: Bool { locking.load(ordering: .relaxed) }
}
