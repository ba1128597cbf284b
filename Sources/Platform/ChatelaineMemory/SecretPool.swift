import CChatelaine

/// Regions of locked pages, split into blocks of power-of-two sizes; used under ``SecretArena``'s lock.
///
/// A free block holds the address of the next free block in its first word, and is zero otherwise.
struct SecretPool {
    private(set) var lockedBytes = 0
    private(set) var unlockedBytes = 0
    /// The first free block of each size class; 0 ends a list.
    private var free = [UInt](repeating: 0, count: SecretPool.sizeClass(for: SecretArena.largestLockedBlock) + 1)
    private var regionNext: UInt = 0
    private var regionEnd: UInt = 0

    static func sizeClass(for count: Int) -> Int {
        let wanted = max(count, SecretArena.smallestBlock)
        return (Int.bitWidth - (wanted - 1).leadingZeroBitCount) - SecretArena.smallestBlock.trailingZeroBitCount
    }

    static func capacity(for count: Int) -> Int { SecretArena.smallestBlock << sizeClass(for: count) }

    /// The address of a zeroed block, or nil when no region can be mapped.
    mutating func take(atLeast count: Int) -> UnsafeMutableRawPointer? {
        let sizeClass = Self.sizeClass(for: count)
        if let block = UnsafeMutableRawPointer(bitPattern: free[sizeClass]) {
            // SAFETY: a free block is ours alone and begins with the address of the next one.
            free[sizeClass] = block.load(as: UInt.self)
            block.storeBytes(of: 0, as: UInt.self)
            return block
        }
        let capacity = UInt(SecretArena.smallestBlock << sizeClass)
        if regionEnd - regionNext < capacity {
            guard mapRegion() else { return nil }
        }
        defer { regionNext += capacity }
        return UnsafeMutableRawPointer(bitPattern: regionNext)
    }

    /// Takes back a block that its owner has wiped.
    mutating func give(back address: UInt, capacity: Int) {
        let sizeClass = Self.sizeClass(for: capacity)
        guard let block = UnsafeMutableRawPointer(bitPattern: address) else { return }
        // SAFETY: the block came from `take` with this capacity, and its owner is gone.
        block.storeBytes(of: free[sizeClass], as: UInt.self)
        free[sizeClass] = address
    }

    private mutating func mapRegion() -> Bool {
        // The rest of the old region still serves smaller blocks.
        while regionEnd > regionNext {
            let left = Int(regionEnd - regionNext)
            let block = SecretArena.smallestBlock << (Self.sizeClass(for: left + 1) - 1)
            give(back: regionNext, capacity: block)
            regionNext += UInt(block)
        }
        guard let region = chatelaine_pages_map(SecretArena.regionSize) else { return false }
        // A limit on locked memory must not stop the daemon: `doctor` reports the bytes that could not be locked.
        if chatelaine_pages_lock(region, SecretArena.regionSize) == 0 {
            lockedBytes += SecretArena.regionSize
        } else {
            unlockedBytes += SecretArena.regionSize
        }
        regionNext = UInt(bitPattern: region)
        regionEnd = regionNext + UInt(SecretArena.regionSize)
        return true
    }
}
