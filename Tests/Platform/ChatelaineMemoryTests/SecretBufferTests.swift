import Glibc
import Testing

@testable import ChatelaineMemory

/// A buffer grows without losing its content, and forgets it on reset.
@Suite struct SecretBufferTests {
    @Test func growsAndKeepsItsContent() {
        var buffer = SecretBuffer(capacity: 1)
        for index in 0..<100_000 { buffer.append(UInt8(truncatingIfNeeded: index)) }
        #expect(buffer.count == 100_000)
        let secret = buffer.finish()
        #expect(secret.count == 100_000)
        secret.withUnsafeBytes { bytes in
            #expect(bytes.indices.allSatisfy { bytes[$0] == UInt8(truncatingIfNeeded: $0) })
        }
    }

    @Test(arguments: [0, 3, 8, 9, 500]) func beginsInLentMemory(_ count: Int) {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 8, alignment: 1)
        defer { memory.deallocate() }
        memory.initializeMemory(as: UInt8.self, repeating: 0xEE)
        let content = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        for isFinished in [false, true] {
            var buffer = SecretBuffer(lent: memory)
            for byte in content { buffer.append(byte) }
            buffer.withUnsafeBytes { #expect(Array($0) == content) }
            if isFinished {
                let secret = buffer.finish()
                secret.withUnsafeBytes { #expect(Array($0) == content) }
            }
        }
        // The owner's memory keeps its bytes, and gets no more of them once it is full.
        #expect(Array(memory.prefix(count)) == Array(content.prefix(8)))
    }

    @Test func appendsWhatTheFillerWrote() {
        var buffer = SecretBuffer(capacity: 4)
        let written = buffer.append(capacity: 1000) { room in
            #expect(room.count == 1000)
            room[0] = 1
            room[1] = 2
            return 2
        }
        #expect(written == 2 && buffer.count == 2)
        #expect(buffer.append(capacity: 10) { _ in -5 } == -5)
        #expect(buffer.count == 2)
    }

    @Test func overwritesOnlyWhatIsThere() {
        var buffer = SecretBuffer()
        buffer.append(0)
        buffer.append(0)
        [UInt8]([7]).withUnsafeBytes { buffer.overwrite(at: 1, with: $0) }
        [UInt8]([8, 8]).withUnsafeBytes { buffer.overwrite(at: 1, with: $0) }
        [UInt8]([9]).withUnsafeBytes { buffer.overwrite(at: -1, with: $0) }
        buffer.withUnsafeBytes { #expect(Array($0) == [0, 7]) }
    }

    @Test func resetForgets() {
        var buffer = SecretBuffer(capacity: 16)
        for _ in 0..<200_000 { buffer.append(3) }
        buffer.reset()
        #expect(buffer.count == 0)
        let written = buffer.append(capacity: 256) { room in
            #expect(room.allSatisfy { $0 == 0 })
            return 0
        }
        #expect(written == 0)
    }

    /// A filler may fail after it wrote, as a decryption does whose tag is wrong.
    @Test(arguments: [10, 100_000]) func whatAFillerLeavesBehindIsWiped(_ count: Int) {
        var buffer = SecretBuffer(capacity: count)
        #expect(
            buffer.append(capacity: count) {
                _ = $0.initializeMemory(as: UInt8.self, repeating: 7); return -1
            } == -1)
        buffer.reset(keeping: count)
        #expect(buffer.append(capacity: count) { $0.allSatisfy { $0 == 0 } ? 0 : -1 } == 0)
        #expect(
            buffer.append(capacity: count) {
                _ = $0.initializeMemory(as: UInt8.self, repeating: 7); return 3
            } == 3)
        let secret = buffer.finish()
        // SAFETY: the block is at least as long as what was asked of it, and lives as long as the secret.
        #expect(Array(secret.block.prefix(count)) == [7, 7, 7] + [UInt8](repeating: 0, count: count - 3))
    }

    /// A frame is announced with a length, and its memory is reserved before it comes.
    @Test func memoryThatIsNeverFilledIsNeverTaken() {
        let faults = { () -> Int in
            var usage = rusage()
            // RUSAGE_THREAD of getrusage(2), which the module Glibc leaves out.
            getrusage(1, &usage)
            return usage.ru_minflt
        }
        let before = faults()
        for _ in 0..<8 {
            var buffer = SecretBuffer()
            buffer.append(1)
            buffer.reserve(64 << 20)
            buffer.reset()
            buffer.reserve(64 << 20)
        }
        // Wiping would be 32 faults for each block where pages have 2 MiB, and more where they are smaller.
        #expect(faults() - before < 256)
    }
}
