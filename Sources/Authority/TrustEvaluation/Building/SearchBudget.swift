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
    /// Of the five seconds that a question may take, of which four walks are the most: with likely anchors and with all, to an anchor and anywhere.
    static let time = Duration.milliseconds(1100)

    private struct Left {
        var lookups = SearchBudget.lookups
        var signatures = SearchBudget.signatures
        var chains = SearchBudget.chains
        var isLate = false
    }

    private let left: AdaptiveMutex<Left> = AdaptiveMutex(Left())
    private let end: ContinuousClock.Instant

    init(time: Duration = SearchBudget.time) { end = ContinuousClock.now + time }

    /// Whether time was why something was not looked at: another search may come further. All other bounds are the same for each.
    var wasCutShort: Bool { left.withLock { $0.isLate } }

    private var isInTime: Bool {
        if ContinuousClock.now < end { return true }
        left.withLock { $0.isLate = true }
        return false
    }

    /// As many of `issuers` as may be looked at; nil for none.
    func take<Issuer: Sendable>(_ issuers: [Issuer]?) -> [Issuer]? {
        guard let issuers, isInTime else { return nil }
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
        guard isInTime else { return false }
        return left.withLock { left in
            guard left.chains > 0 else { return false }
            left.chains -= 1
            return true
        }
    }
}
