import ChatelaineModel

/// A chain of which it is known what is wrong with each certificate.
struct ExaminedChain: Sendable {
    /// The one that is judged first.
    let certificates: [ReadCertificate]
    let defects: [Set<TrustDefect>]
    /// Whether the last one is trusted by somebody.
    let isAnchored: Bool
    /// Whether a setting is why.
    let isBySetting: Bool
    /// Seconds since 1970: the first one is not revoked, and of none of those of which this is known it changes before then.
    let goodUntil: Int64?
    /// Places of those of which nobody says whether they were revoked. The last one is nobody's to revoke.
    let unknown: [Int]

    var isGood: Bool { isAnchored && defects.allSatisfy(\.isEmpty) }

    /// Fewer defects of fewer certificates; then, of those that lead to an anchor, the shorter, and else the one that shows more.
    func isBetter(than other: ExaminedChain) -> Bool {
        guard isAnchored == other.isAnchored else { return isAnchored }
        guard isAnchored else {
            let (mine, others) = (endsItself, other.endsItself)
            return mine == others ? certificates.count > other.certificates.count : mine
        }
        let (mine, others) = (weight, other.weight)
        return mine == others ? certificates.count < other.certificates.count : mine < others
    }

    private var endsItself: Bool { certificates.last?.isSelfIssued ?? false }

    /// What no exception makes up for outweighs the rest.
    private var weight: Int {
        defects.reduce(0) { sum, all in all.reduce(sum) { $0 + ($1.isFatal || $1 == .denied ? 100 : 1) } }
    }
}
