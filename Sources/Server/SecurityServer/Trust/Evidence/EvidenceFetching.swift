import TrustProtocol

/// One source that is to be asked.
struct EvidenceOrder: Hashable, Sendable {
    var source: EvidenceSource
    /// Whether what is known of it was of no use, and only an answer of now is worth waiting for.
    var isAnew = false
}

/// What a source has.
struct EvidenceAnswer: Hashable, Sendable {
    /// None of its bytes was looked at.
    var content: [UInt8]
    /// Whether it was answered so long ago that asking anew can bring another one.
    var isRenewable = false
}

/// Has what evaluations lack fetched.
protocol EvidenceFetching: Sendable {
    /// Waits for all of them, or until the deadline.
    ///
    /// - Parameters:
    ///   - ports: that servers may be asked at.
    ///   - program: for whom; none gets all of the places.
    ///   - deadline: in milliseconds of ``now``.
    /// - Returns: for each order what its source has; nil where that is nothing, or was not there in time.
    func fetch(
        _ orders: [EvidenceOrder], at ports: [UInt16], for program: String, until deadline: Int64
    ) -> [EvidenceAnswer?]

    /// Milliseconds, of a clock that nobody sets.
    var now: Int64 { get }
}
