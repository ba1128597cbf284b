import Glibc
import TestSupport
import Testing

@testable import ChatelaineMemory

/// Secrets are kept in locked memory as far as possible, are in no dump, and are wiped on release.
@Suite struct SecretBytesTests {
    /// A pattern that no other test writes, so that reused memory cannot be mistaken for unwiped memory.
    private static let pattern: UInt8 = 0xA7

    @Test func blockOfTheArenaIsWipedOnRelease() throws {
        SecretArena.lockPages()
        let count = 50_000
        var secret: SecretBytes? = SecretBytes(count: count) { buffer in
            for index in buffer.indices { buffer[index] = Self.pattern }
        }
        let address = try #require(secret).withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        secret = nil
        // SAFETY: regions of the arena stay mapped for the life of the process.
        let memory = UnsafeRawBufferPointer(start: UnsafeRawPointer(bitPattern: address), count: count)
        #expect(!memory.contains(Self.pattern))
    }

    @Test func blocksOfTheArenaStartZeroed() {
        SecretArena.lockPages()
        for count in [1, 32, 33, 64 * 1024, 64 * 1024 + 1] {
            _ = SecretBytes(count: count) { buffer in for index in buffer.indices { buffer[index] = Self.pattern } }
            SecretBytes(count: count) { _ in }.withUnsafeBytes { bytes in #expect(bytes.allSatisfy { $0 == 0 }) }
        }
    }

    /// A user may be allowed to lock less memory than the largest secret needs (behaviour/limits.md, 16).
    @Test func largeSecretsAreInNoDumpAndNotLocked() throws {
        SecretArena.lockPages()
        let before = SecretArena.usage
        let secret = SecretBytes(count: 40 * SecretArena.largestLockedBlock) { buffer in
            for index in buffer.indices { buffer[index] = Self.pattern }
        }
        let address = secret.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
        let regions = ProcessMemory(of: getpid()).regions
        let region = try #require(regions.first { $0.range.contains(address) })
        #expect(region.isLeftOutOfDumps && !region.isLocked)
        // Other tests allocate meanwhile, but none of them that much.
        let after = SecretArena.usage
        let grown = after.lockedBytes + after.unlockedBytes - before.lockedBytes - before.unlockedBytes
        #expect(grown < 40 * SecretArena.largestLockedBlock)
        withExtendedLifetime(secret) {}
    }

    @Test func comparesByContent() {
        let left = SecretBytes(Array(0..<100))
        #expect(left == SecretBytes(Array(0..<100)))
        #expect(left != SecretBytes(Array(0..<99)))
        #expect(SecretBytes([UInt8]()) == SecretBytes([UInt8]()))
        for index in [0, 50, 99] {
            var other = [UInt8](0..<100)
            other[index] ^= 0x80
            #expect(left != SecretBytes(other))
        }
    }

    @Test func showsItsLengthOnly() {
        let secret = SecretBytes(Array("opensesame".utf8))
        var dumped = ""
        dump(secret, to: &dumped)
        for text in ["\(secret)", String(reflecting: secret), dumped] {
            #expect(!text.contains("opensesame") && !text.contains("111"))
        }
        #expect("\(secret)" == "<10 secret bytes>")
    }

    @Test func wipeZeroes() {
        var bytes = [UInt8](repeating: 7, count: 33)
        bytes.withUnsafeMutableBytes { ChatelaineMemory.wipe($0) }
        #expect(bytes.allSatisfy { $0 == 0 })
    }

    @Test func lockingIsReported() {
        SecretArena.lockPages()
        let secret = SecretBytes([1])
        let usage = SecretArena.usage
        #expect(usage.isLocking && usage.lockedBytes + usage.unlockedBytes >= SecretArena.regionSize)
        withExtendedLifetime(secret) {}
    }
}
