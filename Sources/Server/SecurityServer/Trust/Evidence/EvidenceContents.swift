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

        var isIssuer: Bool { source.kind == .issuer }
    }

    /// In the order in which they came.
    private var entries: [Entry] = []

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
        let entry = Entry(source: source, content: content, rank: rank)
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
