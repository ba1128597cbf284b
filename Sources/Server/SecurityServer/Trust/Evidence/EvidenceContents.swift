import TrustProtocol

/// What came for one evaluation, within its bounds.
///
/// What is said of certificates nearer to the anchor has its place before the rest. Whoever holds one of them has chosen the servers of all below it, which must
/// not crowd out what its own issuer says. Issuers have a share of their own.
struct EvidenceContents {
    private struct Entry {
        var source: EvidenceSource
        let content: [UInt8]
        /// How many were ordered before it at the time; the smaller is about a certificate nearer to the anchor.
        var rank: Int
        /// Whether nobody has judged with it.
        var isNew = true

        var isIssuer: Bool { source.kind == .issuer }
    }

    /// In the order in which they came.
    private var entries: [Entry] = []
    /// What was there with something over which trustd ended, and is yet to be judged with.
    private var aside: [Entry] = []
    /// How often something of that may come in: each time what is there is judged, which takes seconds where a stranger has seen to it.
    private var returns = FetchSchedule.maximumOrders / 2

    /// All that came.
    var evidence: FetchedEvidence {
        var evidence = FetchedEvidence()
        for entry in entries {
            switch entry.source.kind {
            case .response: evidence.responses.append(entry.content)
            case .list: evidence.revocationLists.append(entry.content)
            case .issuer: evidence.issuers.append(entry.content)
            }
        }
        return evidence
    }

    /// False where it was there already, or is too much.
    mutating func take(_ content: [UInt8], from source: EvidenceSource, rank: Int) -> Bool {
        let same = entries.firstIndex { $0.source.kind == source.kind && $0.content == content }
        if let same {
            // It is the one that stays longer, whoever had it first.
            if rank < entries[same].rank { (entries[same].source, entries[same].rank) = (source, rank) }
            return false
        }
        // What it takes the place of goes in any case: it was of no use.
        entries.removeAll { $0.source == source }
        return add(Entry(source: source, content: content, rank: rank))
    }

    /// What is there was judged with, and not in vain. Of what is aside the highest comes in, if there is room; false where nothing did.
    mutating func goOn() -> Bool {
        for index in entries.indices { entries[index].isNew = false }
        while returns > 0, let next = aside.indices.min(by: { aside[$0].rank < aside[$1].rank }) {
            var entry = aside.remove(at: next)
            entry.isNew = true
            guard add(entry) else { continue }
            returns -= 1
            return true
        }
        return false
    }

    /// Sets aside all but the highest of what is new, and what is lower than that, to be judged with later; or takes that one away, for good, where nothing else is. False
    /// where nothing new is left.
    ///
    /// One of them, or all together, had trustd end. What a stranger has chosen must not take with it what is said above, whichever came first.
    mutating func leaveOut() -> Bool {
        guard
            let highest = entries.indices.filter({ entries[$0].isNew }).min(by: { entries[$0].rank < entries[$1].rank })
        else { return false }
        let entry = entries[highest]
        let others = entries.indices.filter { $0 != highest && (entries[$0].isNew || entries[$0].rank > entry.rank) }
        guard !others.isEmpty else {
            entries.remove(at: highest)
            return false
        }
        aside += others.map { entries[$0] }
        entries = entries.indices.filter { !others.contains($0) }.map { entries[$0] }
        return true
    }

    private mutating func add(_ entry: Entry) -> Bool {
        guard makeRoom(for: entry) else { return false }
        entries.append(entry)
        return true
    }

    /// Removes what is of a lower rank, the lowest first; false, and nothing is removed, where that is not enough.
    private mutating func makeRoom(for entry: Entry) -> Bool {
        let limit = entry.isIssuer ? EvidenceLimits.maximumIssuerBytes : EvidenceLimits.maximumFetchedBytes
        let others = entries.indices.filter { entries[$0].isIssuer == entry.isIssuer }
        var bytes = others.reduce(entry.content.count) { $0 + entries[$1].content.count }
        var removed: Set<Int> = []
        for index in others.sorted(by: { entries[$0].rank > entries[$1].rank })
        where bytes > limit && entries[index].rank > entry.rank {
            bytes -= entries[index].content.count
            removed.insert(index)
        }
        guard bytes <= limit else { return false }
        entries = entries.indices.filter { !removed.contains($0) }.map { entries[$0] }
        return true
    }
}
