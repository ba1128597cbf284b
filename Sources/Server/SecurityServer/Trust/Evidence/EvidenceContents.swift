import TrustProtocol

/// The fetched answers for one evaluation, within its limits.
///
/// Answers about certificates nearer to the anchor come first. The holder of a certificate has chosen the servers for
/// everything below it, whose answers must not crowd out those of its own issuer. Issuers have a share of their own.
struct EvidenceContents {
    private struct Entry {
        var source: EvidenceSource
        let content: [UInt8]
        /// How many orders came before it.
        ///
        /// A smaller number is about a certificate nearer to the anchor.
        var rank: Int
        /// Whether no judgement has used it yet.
        var isNew = true

        var isIssuer: Bool { source.kind == .issuer }
    }

    /// The answers in the order of arrival.
    private var entries: [Entry] = []
    /// Answers that were present when trustd ended, and that no judgement has used yet.
    private var aside: [Entry] = []
    /// How often such an answer may return.
    ///
    /// Each return costs a judgement, which a stranger can make last for seconds.
    private var returns = FetchSchedule.maximumOrders / 2

    /// All answers.
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

    /// Adds an answer; false where it is there already, or is too much.
    mutating func take(_ content: [UInt8], from source: EvidenceSource, rank: Int) -> Bool {
        let same = entries.firstIndex { $0.source.kind == source.kind && $0.content == content }
        if let same {
            // The entry gets the better rank, whichever source had it first.
            if rank < entries[same].rank { (entries[same].source, entries[same].rank) = (source, rank) }
            return false
        }
        // The former answer of the source goes in any case, since it was useless.
        entries.removeAll { $0.source == source }
        return add(Entry(source: source, content: content, rank: rank))
    }

    /// Marks all answers as judged.
    ///
    /// Then the highest answer that was set aside returns, if there is room; false where none does.
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

    /// Sets aside every new answer but the highest, and every lower one, for later judgements.
    ///
    /// If only that one is left, removes it for good. False where nothing new is left.
    ///
    /// One of them, or all together, ended trustd. An answer that a stranger has chosen must not displace one from
    /// further up, whichever came first.
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

    /// Removes answers of lower rank, the lowest first.
    ///
    /// Where that is not enough, it removes nothing and returns false.
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
