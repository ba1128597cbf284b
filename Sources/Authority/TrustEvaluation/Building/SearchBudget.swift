import ChatelaineSystem

/// How much one search may do. Certificates that all issue each other have more paths than anybody can walk.
final class SearchBudget: Sendable {
    /// Of certificates' issuers: for each of the longest useful chain, some dozen times over.
    static let lookups = 400
    /// Signatures that are looked at; the slowest key takes a millisecond or two.
    static let signatures = 300
    /// Issuers of one certificate. One that has more was made so.
    static let issuers = 32
    /// Chains that reach an anchor and are examined.
    static let chains = 64
    static let time = Duration.milliseconds(1500)

    private struct Left {
        var lookups = SearchBudget.lookups
        var signatures = SearchBudget.signatures
        var chains = SearchBudget.chains
    }

    private let left: AdaptiveMutex<Left> = AdaptiveMutex(Left())
    private let end = ContinuousClock.now + time

    /// As many of `issuers` as may be looked at; nil for none.
    func take<Issuer: Sendable>(_ issuers: [Issuer]?) -> [Issuer]? {
        guard let issuers, ContinuousClock.now < end else { return nil }
        return left.withLock { left in
            guard left.lookups > 0, left.signatures > 0 else { return nil }
            let taken = issuers.prefix(min(Self.issuers, left.signatures))
            left.lookups -= 1
            left.signatures -= taken.count
            return Array(taken)
        }
    }

    /// Whether one more chain may be examined.
    func takeChain() -> Bool {
        guard ContinuousClock.now < end else { return false }
        return left.withLock { left in
            guard left.chains > 0 else { return false }
            left.chains -= 1
            return true
        }
    }
}
