import TrustProtocol

/// What servers are asked for one evaluation, from the first thing that it lacks to the last.
///
/// Whether something was revoked and who issued it have shares of their own: whoever sends a chain chooses how many issuers lack, and whom to ask for them.
struct FetchSchedule {
    /// How long servers are waited for, in milliseconds: programs wait for an evaluation. What is there by then is judged.
    static let milliseconds: Int64 = 15_000
    /// Of these, how long for issuers.
    static let issuerMilliseconds: Int64 = 7_000
    /// How long before what came is judged, and the next source asked; what did not come goes on. A slow server is not to hold up the others.
    static let batchMilliseconds: Int64 = 3_000
    /// How often what came is judged: each of the sources of a certificate, and each anew.
    static let maximumRounds = 2 * EvidenceLimits.maximumSources
    /// The same for issuers: each that is fetched can lack one of its own, and chains have two or three of them.
    static let maximumIssuerRounds = 4
    /// Sources that are asked at all, anew included: a chain names some ten, and one that a stranger has made as many as that likes.
    static let maximumOrders = 16
    /// The same for issuers.
    static let maximumIssuerOrders = 8

    /// What is left for issuers, or for the rest.
    private struct Share {
        var rounds: Int
        var orders: Int
        var milliseconds: Int64
        /// Orders that are for a need above which nothing is asked for any more: the later half, so that others cannot take them all.
        let kept: Int

        init(rounds: Int, orders: Int, milliseconds: Int64) {
            (self.rounds, self.orders, self.milliseconds, kept) = (rounds, orders, milliseconds, orders / 2)
        }
    }

    private enum State {
        case done
        /// What is known of it was of no use so far, and another answer is possible.
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

    /// All that came.
    var evidence: FetchedEvidence { contents.evidence }

    /// Leaves out of what came last something over which trustd may have ended; false where nothing of it is left.
    mutating func leaveOut() -> Bool { contents.leaveOut() }

    /// Asks the next source of each need, until something came; false where nothing did, and the last verdict is the answer.
    mutating func fetch(_ needs: [EvidenceNeed]) -> Bool {
        let share = needs.allSatisfy { $0.sources.allSatisfy { $0.kind == .issuer } } ? \Self.issuers : \Self.answers
        guard !needs.isEmpty else { return false }
        // What came already takes nothing from those that are yet to be asked.
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
            // Whoever gives up before the time does so again.
            guard spent > 0 || outcomes.contains(where: { $0 != .notYet }) else { return false }
        }
        return false
    }

    /// Of each need the first source that was not asked yet, or can be asked anew; each source once.
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

    /// Whether something came that was not there.
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
