import ChatelaineModel
import EnclaveProtocol

/// Wrong passwords of file keychains, in memory alone: who has the file may guess at Argon2id's price anyway, so a file of tries would hold
/// nobody up who is set on it. It is kept while keychains are locked and unlocked.
struct KeychainTries: Sendable {
    /// What a guess is about. Another header of the same store is another matter: whoever makes one with a password of their own must not set
    /// back what was counted for the true one.
    struct Target: Hashable, Sendable {
        private let store: StoreIdentifier
        private let check: [UInt8]

        init(_ header: KeychainHeader) { (store, check) = (header.store, header.check) }
    }

    /// Headers that are remembered; one more has the one forgotten that failed longest ago. To have one forgotten takes as many wrong passwords
    /// of others, one at a time at Argon2id's price: minutes.
    static let maximumTargets = 4096

    private var counts: [Target: (counts: TryCounts, order: UInt64)] = [:]
    private var order: UInt64 = 0

    var count: Int { counts.count }

    /// Milliseconds until a password is looked at.
    func delay(of target: Target, for origin: PasscodeOrigin, now: UInt64) -> UInt64 {
        counts[target]?.counts.delay(for: origin, now: now) ?? 0
    }

    func failures(of target: Target, from origin: PasscodeOrigin) -> UInt32 {
        counts[target]?.counts.failures(of: origin) ?? 0
    }

    mutating func fail(_ target: Target, from origin: PasscodeOrigin, clock: BootClock) {
        if counts[target] == nil, counts.count >= Self.maximumTargets,
            let oldest = counts.min(by: { $0.value.order < $1.value.order })
        {
            counts[oldest.key] = nil
        }
        order += 1
        var failed = counts[target]?.counts ?? TryCounts(bootID: clock.bootID)
        failed.fail(origin, now: clock.now())
        counts[target] = (failed, order)
    }

    mutating func succeed(_ target: Target) { counts[target] = nil }
}
