import Testing

@testable import ChatelaineMemory

/// Blocks of the pool do not overlap, come back zeroed, and are used again.
@Suite struct SecretPoolTests {
    @Test(arguments: [
        (0, 32), (1, 32), (32, 32), (33, 64), (64, 64), (65, 128), (4096, 4096), (4097, 8192), (65_535, 65_536),
        (65_536, 65_536),
    ])
    func sizeClass(count: Int, capacity: Int) {
        #expect(SecretPool.capacity(for: count) == capacity)
        #expect(SecretArena.smallestBlock << SecretPool.sizeClass(for: count) == capacity)
    }

    @Test func blocksDoNotOverlapAndComeBackZeroed() throws {
        var pool = SecretPool()
        let sizes = [32, 4096, 65_536, 33, 32, 65_536, 60_000, 65_536, 65_536, 100, 32]
        var taken: [Range<UInt>] = []
        for size in sizes {
            let candidate = pool.take(atLeast: size)
            let block = try #require(candidate)
            let capacity = SecretPool.capacity(for: size)
            let bytes = UnsafeMutableRawBufferPointer(start: block, count: capacity)
            #expect(bytes.allSatisfy { $0 == 0 })
            let range = UInt(bitPattern: block)..<(UInt(bitPattern: block) + UInt(capacity))
            #expect(!taken.contains { $0.overlaps(range) })
            taken.append(range)
        }
        for range in taken { pool.give(back: range.lowerBound, capacity: range.count) }
        for size in sizes {
            let candidate = pool.take(atLeast: size)
            let block = try #require(candidate)
            let bytes = UnsafeRawBufferPointer(start: block, count: SecretPool.capacity(for: size))
            #expect(bytes.allSatisfy { $0 == 0 })
        }
    }

    @Test func freedBlockIsUsedAgain() throws {
        var pool = SecretPool()
        let candidate = pool.take(atLeast: 48)
        let first = try #require(candidate)
        pool.give(back: UInt(bitPattern: first), capacity: 64)
        let second = pool.take(atLeast: 64)
        #expect(second == first)
    }
}
