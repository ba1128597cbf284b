import TrustProtocol

/// An order to ask one source.
struct EvidenceOrder: Hashable, Sendable {
    var source: EvidenceSource
    /// Whether the known answer was useless, so that only a new answer is worth waiting for.
    var isAnew = false
    /// Whether the order is about a certificate above which nothing is missing.
    ///
    /// No holder of a judged certificate has chosen this server, so it must not wait for servers that they chose.
    var isForemost = false
}

/// The answer of a source.
struct EvidenceAnswer: Hashable, Sendable {
    /// The bytes of the answer, which are not parsed.
    var content: [UInt8]
    /// Whether the answer is so old that asking again can bring another one.
    var isRenewable = false
}

/// The outcome of an order.
enum EvidenceOutcome: Hashable, Sendable {
    case answer(EvidenceAnswer)
    case nothing
    /// The answer did not come in time, and may be there the next time.
    case notYet
}

/// Fetches what evaluations need.
protocol EvidenceFetching: Sendable {
    /// Waits for all orders, until the deadline, or until the place of the connection is given away.
    ///
    /// - Parameters:
    ///   - ports: the ports at which servers may be asked.
    ///   - slot: the connection of the evaluation; no program gets all places.
    ///   - deadline: in milliseconds of ``now``.
    /// - Returns: the outcome of each order.
    func fetch(
        _ orders: [EvidenceOrder], at ports: [UInt16], for slot: ConnectionSlot, until deadline: Int64
    ) -> [EvidenceOutcome]

    /// Milliseconds of a clock that nobody sets and that goes on while the machine sleeps.
    var now: Int64 { get }
}
