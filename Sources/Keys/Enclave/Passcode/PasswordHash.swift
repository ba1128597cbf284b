import CArgon2
import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import Glibc
import Sealing

/// Derives a key from a passcode at a cost that an attacker pays for each guess: Argon2id (RFC 9106).
///
/// A structure of closures, so that a test can replace it with a quick one.
package struct PasswordHash: Sendable {
    package typealias Parameters = PasswordParameters

    /// Derives a key of 32 bytes; `errSecAllocate` if there is not enough memory.
    package var derive:
        @Sendable (_ passcode: SecretBytes, _ salt: [UInt8], _ parameters: Parameters) throws(KeychainError) ->
            SecretBytes
    /// The processor time of the calling thread, in nanoseconds.
    ///
    /// The calibration uses it, so that load from other threads does not make a passcode cheaper to guess.
    package var processorTime: @Sendable () -> UInt64
    /// The time of one try that the calibration aims at, in nanoseconds.
    let target: UInt64

    package init(
        derive:
            @escaping @Sendable (_ passcode: SecretBytes, _ salt: [UInt8], _ parameters: Parameters)
            throws(KeychainError) -> SecretBytes,
        processorTime: @escaping @Sendable () -> UInt64, target: UInt64 = usualTarget
    ) {
        self.derive = derive
        self.processorTime = processorTime
        self.target = target
    }

    package static let argon2id = PasswordHash(
        derive: { passcode, salt, parameters throws(KeychainError) in
            var code: Int32 = 0
            let key = SecretBytes(count: Sealing.keyByteCount) { key in
                code = passcode.withUnsafeBytes { passcode in
                    // SAFETY: each buffer carries its own length, and lives until the call is over.
                    chatelaine_argon2id(
                        passcode.baseAddress, passcode.count, salt, salt.count, parameters.memory, parameters.passes,
                        parameters.lanes, key.baseAddress, key.count)
                }
            }
            switch code {
            case 0: return key
            case ENOMEM:
                throw KeychainError(
                    cause: .memory,
                    "\(parameters.memory / 1024) MiB of memory for checking a passcode cannot be had; free some and try again"
                )
            default: throw KeychainError(.internalComponent, "Argon2id refuses its parameters")
            }
        },
        processorTime: {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return UInt64(clamping: time.tv_sec) &* 1_000_000_000 &+ UInt64(clamping: time.tv_nsec)
        }, target: targetOfThisBuild)

    /// Short for a person, long for an attacker.
    package static let usualTarget: UInt64 = 100_000_000
    /// A build for debugging takes the least that is ever accepted.
    ///
    /// Otherwise Argon2id is an eighth of the processor time of the unit tests.
    #if DEBUG
        private static let targetOfThisBuild: UInt64 = 0
    #else
        private static let targetOfThisBuild = usualTarget
    #endif
}

extension PasswordHash {
    /// The number of measured tries, of which the quickest counts, because the first one touches memory for the first
    /// time.
    static let measurements = 3

    /// The parameters with which a try takes ``target`` on this machine, never cheaper than ``Parameters/least`` and
    /// `former`.
    ///
    /// - Parameter memory: the most memory, in KiB.
    func calibrated(
        atLeast former: Parameters? = nil, upTo memory: UInt32 = Parameters.most.memory
    ) throws(KeychainError) -> Parameters {
        let least = Parameters.least
        // Nothing is to be measured.
        guard target > 0 else { return former.map { $0.cost > least.cost ? $0 : least } ?? least }
        let passcode = SecretBytes(count: 16) { _ in }
        var quickest = UInt64.max
        for _ in 0..<Self.measurements {
            let start = processorTime()
            _ = try derive(passcode, [UInt8](repeating: 0, count: Bytes16.count), least)
            quickest = min(quickest, max(processorTime() &- start, 1))
        }
        let affordable = Self.parameters(costing: least.cost * target / quickest, upTo: memory)
        guard let former, former.cost > affordable.cost else { return affordable }
        return former
    }

    /// Spends the cost on memory before passes, because an attacker cannot make memory cheaper.
    ///
    /// RFC 9106 uses three passes where memory is short.
    private static func parameters(costing cost: UInt64, upTo maximum: UInt32) -> Parameters {
        let (least, most) = (Parameters.least, Parameters.most)
        var passes: UInt64 = cost >= 3 * UInt64(least.memory) ? 3 : UInt64(least.passes)
        var memory = max(cost / passes, UInt64(least.memory))
        if memory > UInt64(maximum) {
            memory = UInt64(maximum)
            passes = min(max(cost / memory, passes), UInt64(most.passes))
        }
        // Rounded to whole MiB, for people.
        return Parameters(memory: UInt32(memory / 1024 * 1024), passes: UInt32(passes))
    }
}
