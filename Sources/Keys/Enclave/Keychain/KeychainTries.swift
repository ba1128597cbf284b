import ChatelaineModel
import EnclaveProtocol

/// Counts wrong passwords of file keychains, in memory only.
///
/// Whoever has the file can guess at Argon2id's price anyway, so a file of tries would not stop them. The counts are
/// kept while keychains are locked and unlocked.
struct KeychainTries: Sendable {
    /// The header to which a guess applies.
    ///
    /// Another header of the same store has its own count: somebody who makes one with a known password must not reset
    /// the count of the genuine one.
    struct Target: Hashable, Sendable {
        private let store: StoreIdentifier
        private let check: [UInt8]

        init(_ header: KeychainHeader) { (store, check) = (header.store, header.check) }
    }

    /// The number of remembered headers.
    ///
    /// Beyond it, the one whose last failure is oldest is forgotten. To force that takes as many wrong passwords of
    /// other headers, one at a time at Argon2id's price: minutes.
    static let maximumTargets = 4096

    private var counts: [Target: (counts: TryCounts, order: UInt64)] = [:]
    private var order: UInt64 = 0

    var count: Int { counts.count }

    /// The milliseconds until a password is checked.
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
