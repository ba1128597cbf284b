import TrustProtocol

/// One source that is to be asked.
struct EvidenceOrder: Hashable, Sendable {
    var source: EvidenceSource
    /// Whether what is known of it was of no use, and only an answer of now is worth waiting for.
    var isAnew = false
    /// Whether it is about a certificate above which nothing lacks: no holder of one that is judged has chosen this server, and it is not to wait for theirs.
    var isForemost = false
}

/// What a source has.
struct EvidenceAnswer: Hashable, Sendable {
    /// None of its bytes was looked at.
    var content: [UInt8]
    /// Whether it was answered so long ago that asking anew can bring another one.
    var isRenewable = false
}

/// What became of an order.
enum EvidenceOutcome: Hashable, Sendable {
    case answer(EvidenceAnswer)
    case nothing
    /// It was not there in time, and may be there the next time.
    case notYet
}

/// Has what evaluations lack fetched.
protocol EvidenceFetching: Sendable {
    /// Waits for all of them, or until the deadline, or until the place of the connection is given away.
    ///
    /// - Parameters:
    ///   - ports: that servers may be asked at.
    ///   - slot: whose evaluation it is; no program gets all of the places.
    ///   - deadline: in milliseconds of ``now``.
    /// - Returns: for each order what became of it.
    func fetch(
        _ orders: [EvidenceOrder], at ports: [UInt16], for slot: ConnectionSlot, until deadline: Int64
    ) -> [EvidenceOutcome]

    /// Milliseconds, of a clock that nobody sets and that goes on while the machine sleeps.
    var now: Int64 { get }
}
