import TrustProtocol

/// The schedule of requests to servers for one evaluation, from the first missing answer to the last.
///
/// Revocation and issuers have separate shares. Otherwise the sender of a chain, who chooses how many issuers are
/// missing and whom to ask for them, could use up everything.
struct FetchSchedule {
    /// How long an evaluation waits for servers, in milliseconds, since a program waits for it.
    ///
    /// It judges with the answers that are there by then.
    static let milliseconds: Int64 = 15_000
    /// The part of that time for issuers.
    static let issuerMilliseconds: Int64 = 7_000
    /// The time after which the present answers are judged and the next source is asked.
    ///
    /// Pending requests go on, so that a slow server does not delay the others.
    static let batchMilliseconds: Int64 = 3_000
    /// How often answers are judged: once for each source of a certificate, and once for each repetition.
    static let maximumRounds = 2 * EvidenceLimits.maximumSources
    /// How often fetched issuers are judged.
    ///
    /// Each may lack an issuer itself, and chains have two or three of them.
    static let maximumIssuerRounds = 4
    /// The number of requests, repetitions included.
    ///
    /// A usual chain names some ten sources; one made by a stranger may name any number.
    static let maximumOrders = 16
    /// The number of requests for issuers.
    static let maximumIssuerOrders = 8

    /// What is left of the limits for issuers, or for everything else.
    private struct Share {
        var rounds: Int
        var orders: Int
        var milliseconds: Int64
        /// The orders that are kept for a need above which nothing is asked for any more.
        ///
        /// They are the later half, so that other needs cannot take them all.
        let kept: Int

        init(rounds: Int, orders: Int, milliseconds: Int64) {
            (self.rounds, self.orders, self.milliseconds, kept) = (rounds, orders, milliseconds, orders / 2)
        }
    }

    private enum State {
        case done
        /// The known answer was useless so far, and another answer is possible.
        case renewable
        case underWay(EvidenceOrder)
    }

    private let fetcher: any EvidenceFetching
    private let ports: [UInt16]
    private let slot: ConnectionSlot
    private var asked: [EvidenceSource: State] = [:]
    private var answers = Share(rounds: maximumRounds, orders: maximumOrders, milliseconds: milliseconds)
    private var issuers = Share(
        rounds: maximumIssuerRounds, orders: maximumIssuerOrders, milliseconds: issuerMilliseconds)
    private var contents = EvidenceContents()

    init(_ fetcher: any EvidenceFetching, at ports: [UInt16], for slot: ConnectionSlot) {
        (self.fetcher, self.ports, self.slot) = (fetcher, ports, slot)
    }

    /// All answers.
    var evidence: FetchedEvidence { contents.evidence }

    /// Leaves out some of the last answers, over which trustd may have ended; false where none is left.
    mutating func leaveOut() -> Bool { contents.leaveOut() }

    /// Asks the next source of each need, until an answer comes.
    ///
    /// False where none came, and the last verdict stands.
    mutating func fetch(_ needs: [EvidenceNeed]) -> Bool {
        let share = needs.allSatisfy { $0.sources.allSatisfy { $0.kind == .issuer } } ? \Self.issuers : \Self.answers
        guard !needs.isEmpty else { return false }
        // An answer that is there already uses none of the limits.
        if contents.goOn() { return true }
        guard self[keyPath: share].rounds > 0 else { return false }
        self[keyPath: share].rounds -= 1
        while self[keyPath: share].milliseconds > 0 {
            var left = self[keyPath: share]
            let next = next(for: needs, &left)
            self[keyPath: share] = left
            guard !next.isEmpty else { return false }
            let start = fetcher.now
            let outcomes = fetcher.fetch(
                next, at: ports, for: slot,
                until: start + min(Self.batchMilliseconds, left.milliseconds))
            let spent = fetcher.now - start
            issuers.milliseconds -= spent
            answers.milliseconds -= spent
            if take(outcomes, of: next) { return true }
            // A fetcher that gave up early would give up again.
            guard spent > 0 || outcomes.contains(where: { $0 != .notYet }) else { return false }
        }
        return false
    }

    /// For each need the first source that was not asked yet, or can be asked again; each source once.
    private func next(for needs: [EvidenceNeed], _ share: inout Share) -> [EvidenceOrder] {
        var orders: [EvidenceOrder] = []
        for need in needs {
            guard let (order, isOnItsWay) = next(of: need), !orders.contains(where: { $0.source == order.source })
            else { continue }
            if !isOnItsWay {
                guard share.orders > (orders.isEmpty ? 0 : share.kept) else { continue }
                share.orders -= 1
            }
            orders.append(order)
            orders[orders.count - 1].isForemost = orders.count == 1 && order.source.kind != .issuer
        }
        return orders
    }

    private func next(of need: EvidenceNeed) -> (order: EvidenceOrder, isOnItsWay: Bool)? {
        for source in need.sources {
            switch asked[source] {
            case .done?: continue
            case .renewable?: return (EvidenceOrder(source: source, isAnew: true), false)
            case .underWay(let order)?: return (order, true)
            case nil: return (EvidenceOrder(source: source), false)
            }
        }
        return nil
    }

    /// Takes the outcomes; returns whether a new answer came.
    private mutating func take(_ outcomes: [EvidenceOutcome], of orders: [EvidenceOrder]) -> Bool {
        var isNew = false
        for (rank, (order, outcome)) in zip(orders, outcomes).enumerated() {
            switch outcome {
            case .nothing: asked[order.source] = .done
            case .notYet: asked[order.source] = .underWay(order)
            case .answer(let answer):
                asked[order.source] = answer.isRenewable && !order.isAnew ? .renewable : .done
                if contents.take(answer.content, from: order.source, rank: rank) { isNew = true }
            }
        }
        return isNew
    }
}
