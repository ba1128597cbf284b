import ChatelaineSystem

/// The limits of one search.
///
/// Certificates that all issue each other have more paths than can be walked.
final class SearchBudget: Sendable {
    /// Look-ups of issuers: some dozen for each certificate of the longest useful chain.
    static let lookups = 400
    /// Signatures that are verified; the slowest key takes a millisecond or two.
    static let signatures = 300
    /// Issuers of one certificate.
    ///
    /// Only a crafted certificate has more.
    static let issuers = 32
    /// Certificates that may prove that they are anchors for themselves (`kSecTrustOptionImplicitAnchors`).
    static let implicitAnchors = 64
    /// Chains that reach an anchor and are examined.
    static let chains = 64
    /// The time of one walk.
    ///
    /// A question may take five seconds and has four walks at the most: with likely anchors and with all, to an anchor
    /// and anywhere.
    static let time = Duration.milliseconds(1100)

    private struct Left {
        var lookups = SearchBudget.lookups
        var signatures = SearchBudget.signatures
        var chains = SearchBudget.chains
        var isLate = false
    }

    private let left: AdaptiveMutex<Left> = AdaptiveMutex(Left())
    private let end: ContinuousClock.Instant
    private let now: @Sendable () -> ContinuousClock.Instant

    init(
        time: Duration = SearchBudget.time,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) {
        self.now = now
        end = now() + time
    }

    /// Whether the time limit stopped the search, so that another search may find more.
    ///
    /// All other limits are the same for each search.
    var wasCutShort: Bool { left.withLock { $0.isLate } }

    var isInTime: Bool {
        if now() < end { return true }
        left.withLock { $0.isLate = true }
        return false
    }

    /// The part of `issuers` that may be tried; nil if none may.
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
