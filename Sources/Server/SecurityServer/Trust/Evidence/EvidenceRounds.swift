import TrustProtocol

/// What servers are asked for one evaluation, from the first thing that it lacks to the last.
struct EvidenceRounds {
    /// How long servers are asked, in milliseconds: programs wait for an evaluation. What is there by then is judged.
    static let milliseconds: Int64 = 15_000
    /// How often what came is judged. Each issuer that is fetched can lack one of its own.
    static let maximumRounds = 8
    /// Sources that are asked at all, anew included: a chain names some ten, and one that a stranger has made as many as that likes.
    static let maximumOrders = 16

    private enum State {
        case done
        /// What is known of it was of no use so far, and another answer is possible.
        case renewable
    }

    private let fetcher: any EvidenceFetching
    private let ports: [UInt16]
    private let program: String
    private let deadline: Int64
    private var asked: [EvidenceSource: State] = [:]
    private var orders = 0
    private var rounds = 0
    /// In the order in which they came.
    private var contents: [(source: EvidenceSource, content: [UInt8])] = []

    /// The time runs from here on.
    init(_ fetcher: any EvidenceFetching, at ports: [UInt16], for program: String) {
        (self.fetcher, self.ports, self.program) = (fetcher, ports, program)
        deadline = fetcher.now + Self.milliseconds
    }

    /// All that came.
    var evidence: FetchedEvidence {
        var evidence = FetchedEvidence()
        for (source, content) in contents {
            switch source.kind {
            case .response: evidence.responses.append(content)
            case .list: evidence.revocationLists.append(content)
            case .issuer: evidence.issuers.append(content)
            }
        }
        return evidence
    }

    /// Asks the next source of each need, until something came; false where nothing did, and the last verdict is the answer.
    mutating func fetch(_ needs: [EvidenceNeed]) -> Bool {
        guard rounds < Self.maximumRounds else { return false }
        rounds += 1
        while fetcher.now < deadline {
            let next = Array(next(for: needs).prefix(Self.maximumOrders - orders))
            guard !next.isEmpty else { return false }
            orders += next.count
            let answers = fetcher.fetch(next, at: ports, for: program, until: deadline)
            var isNew = false
            for (order, answer) in zip(next, answers) {
                asked[order.source] = answer?.isRenewable == true && !order.isAnew ? .renewable : .done
                if let answer, take(answer.content, from: order.source) { isNew = true }
            }
            if isNew { return true }
        }
        return false
    }

    /// Of each need the first source that was not asked yet, or can be asked anew; each source once.
    private func next(for needs: [EvidenceNeed]) -> [EvidenceOrder] {
        var orders: [EvidenceOrder] = []
        for need in needs {
            for source in need.sources {
                let order: EvidenceOrder
                switch asked[source] {
                case .done?: continue
                case .renewable?: order = EvidenceOrder(source: source, isAnew: true)
                case nil: order = EvidenceOrder(source: source)
                }
                if !orders.contains(order) { orders.append(order) }
                break
            }
        }
        return orders
    }

    /// False where it was there already, or is too much.
    private mutating func take(_ content: [UInt8], from source: EvidenceSource) -> Bool {
        guard !contents.contains(where: { $0.source.kind == source.kind && $0.content == content }) else {
            return false
        }
        // What it takes the place of goes in any case: it was of no use.
        contents.removeAll { $0.source == source }
        let bytes = contents.reduce(content.count) { $0 + $1.content.count }
        guard bytes <= EvidenceLimits.maximumFetchedBytes else { return false }
        contents.append((source, content))
        return true
    }
}
