import ChatelaineModel

/// A chain with the known defects of each certificate.
struct ExaminedChain: Sendable {
    /// The certificates, with the judged one first.
    let certificates: [ReadCertificate]
    let defects: [Set<TrustDefect>]
    /// Whether the last certificate is an anchor.
    let isAnchored: Bool
    /// Whether a setting made it an anchor.
    let isBySetting: Bool
    /// The time until which the first certificate is known not to be revoked, in seconds since 1970.
    ///
    /// It is the earliest end of all such statements about the chain.
    let goodUntil: Int64?
    /// Indexes of the certificates whose revocation state is unknown.
    ///
    /// The last certificate is never checked.
    let unknown: [Int]

    var isGood: Bool { isAnchored && defects.allSatisfy(\.isEmpty) }

    /// Whether this chain is preferred to `other`.
    ///
    /// An anchored chain is better than one without an anchor. Of two anchored chains the one with fewer defects is
    /// better, then the shorter one. Of two others one with a self-issued end is better, then the longer one.
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

    /// The number of defects, where a defect without an exception counts a hundred times.
    private var weight: Int {
        defects.reduce(0) { sum, all in all.reduce(sum) { $0 + ($1.isFatal || $1 == .denied ? 100 : 1) } }
    }
}
