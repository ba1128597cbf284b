import Foundation
import Glibc
import Synchronization
import Testing

@testable import Security

/// Tests of SecRandomCopyBytes, with the real kernel and with one that fails.
struct RandomTests {
    @Test(arguments: [1, 16, 255, 256, 257, 1000, 65_536])
    func everyByteIsFilledAndNoneBeyond(count: Int) {
        var seen = [Bool](repeating: false, count: count)
        // A byte that stays zero in 16 independent fillings (chance 2^-128 each) was not written.
        for _ in 0..<16 {
            var bytes = [UInt8](repeating: 0, count: count + 1)
            #expect(SecRandomCopyBytes(kSecRandomDefault, count, &bytes) == errSecSuccess)
            #expect(bytes[count] == 0)
            for index in 0..<count where bytes[index] != 0 { seen[index] = true }
        }
        #expect(seen.allSatisfy { $0 })
    }

    @Test func nilIsTheDefaultSource() {
        var bytes = Data(count: 32)
        let status = bytes.withUnsafeMutableBytes { SecRandomCopyBytes(nil, $0.count, $0.baseAddress!) }
        #expect(status == errSecSuccess)
        #expect(bytes != Data(count: 32))
    }

    /// The function ignores its source argument (behaviour/random.md, 2).
    @Test func theSourceIsNotLookedAt() {
        var bytes = [UInt8](repeating: 0, count: 32)
        #expect(SecRandomCopyBytes(SecRandomRef(bitPattern: 64), bytes.count, &bytes) == errSecSuccess)
        #expect(bytes != [UInt8](repeating: 0, count: 32))
    }

    @Test func badArgumentsAreRefused() throws {
        var bytes: [UInt8] = [7, 7]
        #expect(SecRandomCopyBytes(kSecRandomDefault, -1, &bytes) == errSecParam)
        #expect(SecRandomCopyBytes(kSecRandomDefault, 0, &bytes) == errSecSuccess)
        #expect(bytes == [7, 7])
        // The address is in the page at zero, which is never mapped. The kernel reports that, and the process survives.
        let nowhere = try #require(UnsafeMutableRawPointer(bitPattern: 8))
        #expect(SecRandomCopyBytes(kSecRandomDefault, 16, nowhere) == errSecParam)
    }

    @Test func anInterruptedStepIsRepeated() {
        let calls = Mutex<[Int]>([])
        let source = RandomBytes { region in
            let count = calls.withLock {
                $0.append(region.count); return $0.count
            }
            guard count != 2 else { return EINTR }
            region.initializeMemory(as: UInt8.self, repeating: UInt8(count))
            return 0
        }
        var bytes = [UInt8](repeating: 0, count: 300)
        #expect(bytes.withUnsafeMutableBytes { source.fill($0) } == errSecSuccess)
        #expect(calls.withLock { $0 } == [256, 44, 44])
        #expect(bytes == [UInt8](repeating: 1, count: 256) + [UInt8](repeating: 3, count: 44))
    }

    @Test(arguments: [(EFAULT, errSecParam), (ENOSYS, errSecInternalComponent), (EIO, errSecInternalComponent)])
    func aFailureOfTheKernelIsAStatus(error: Int32, status: OSStatus) {
        let source = RandomBytes { _ in error }
        var bytes = [UInt8](repeating: 0, count: 8)
        #expect(bytes.withUnsafeMutableBytes { source.fill($0) } == status)
        #expect(bytes == [UInt8](repeating: 0, count: 8))
    }
}
