import ChatelaineMemory
import ChatelaineModel
import Synchronization
import Testing

@testable import Enclave

/// The password hash is Argon2id, is calibrated to the machine, and is never made too cheap.
@Suite struct PasswordHashTests {
    private static let password = SecretBytes(Array("password".utf8))

    /// A vector from the reference implementation's own tests (test.c: version 0x13, t=2, m=2^16, p=1).
    @Test func isArgon2id() throws {
        let key = try PasswordHash.argon2id.derive(
            Self.password, Array("somesalt".utf8), PasswordHash.Parameters(memory: 65536, passes: 2))
        let digits = key.withUnsafeBytes { $0.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() }
        #expect(digits == "09316115d5cf24ed5a15a31a3ba326e5cf32edc24702987c02b6566f61913cf7")
    }

    @Test func saysWhereMemoryIsShort() {
        // Four terabytes, which no test machine has.
        let parameters = PasswordHash.Parameters(memory: 4_000_000_000, passes: 1)
        let error = failure {
            _ = try PasswordHash.argon2id.derive(Self.password, [UInt8](repeating: 1, count: 16), parameters)
        }
        #expect(error?.status == .allocate && error?.cause == .memory)
        let none = failure { _ = try PasswordHash.argon2id.derive(Self.password, [], .least) }
        #expect(none?.status == .internalComponent)
    }

    /// A hash that takes this many nanoseconds for one pass over one MiB.
    private static func hash(taking nanoseconds: UInt64) -> PasswordHash {
        let time = Mutex<UInt64>(0)
        return PasswordHash(
            derive: { _, _, parameters throws(KeychainError) in
                time.withLock { $0 += nanoseconds * parameters.cost / 1024 }
                return SecretBytes(count: 32) { _ in }
            }, processorTime: { time.withLock { $0 } })
    }

    @Test(
        arguments: [
            // Nanoseconds for one pass over a MiB, then the MiB and passes that take 100 ms.
            (10_000_000, 19, 2), (2_631_000, 19, 2), (2_000_000, 25, 2), (1_000_000, 33, 3), (500_000, 66, 3),
            (140_000, 238, 3), (100_000, 256, 3), (50_000, 256, 7), (1, 256, 16), (0, 256, 16),
        ] as [(UInt64, UInt32, UInt32)])
    func isCalibrated(nanoseconds: UInt64, memory: UInt32, passes: UInt32) throws {
        let parameters = try Self.hash(taking: nanoseconds).calibrated()
        #expect(parameters == PasswordHash.Parameters(memory: memory * 1024, passes: passes))
        #expect(parameters.isAcceptable && parameters.cost >= PasswordHash.Parameters.least.cost)
    }

    @Test func isNeverMadeCheaper() throws {
        let former = PasswordHash.Parameters(memory: 64 * 1024, passes: 3)
        #expect(try Self.hash(taking: 10_000_000).calibrated(atLeast: former) == former)
        #expect(try Self.hash(taking: 100_000).calibrated(atLeast: former).cost > former.cost)
    }

    /// The real hash never costs less than the least. `make bench` measures its time.
    @Test func aRealTryHasTheLeastCostAtLeast() throws {
        let argon2id = PasswordHash.argon2id
        let parameters = try PasswordHash(derive: argon2id.derive, processorTime: argon2id.processorTime).calibrated()
        #expect(parameters.isAcceptable)
    }

    /// A build for debugging takes the least for new passwords, and is no cheaper than before for others.
    @Test func debuggingTakesTheLeast() throws {
        #expect(try PasswordHash.argon2id.calibrated() == .least)
        let former = PasswordHash.Parameters(memory: 64 * 1024, passes: 3)
        #expect(try PasswordHash.argon2id.calibrated(atLeast: former) == former)
    }

    @Test(
        arguments: [(18, 2, 1), (257, 2, 1), (19, 1, 1), (19, 17, 1), (19, 2, 0), (19, 2, 5)]
            as [(UInt32, UInt32, UInt32)])
    func otherParametersAreRefused(memory: UInt32, passes: UInt32, lanes: UInt32) {
        #expect(!PasswordHash.Parameters(memory: memory * 1024, passes: passes, lanes: lanes).isAcceptable)
    }
}
