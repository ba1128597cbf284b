import TrustProtocol

/// What servers have answered, for evaluations to come; in memory alone.
///
/// It reads nothing of an answer, and so knows nothing of how long one is valid: trustd does, and what that finds too old is asked for anew. How long an
/// answer is kept is how long a revocation that a server knows of already may stay unknown here.
struct EvidenceCache {
    /// Chains of dozens of servers.
    static let maximumEntries = 256
    /// Eight lists of the largest size, or thousands of answers.
    static let maximumBytes = 8 * 1024 * 1024
    /// An hour: what authorities answer is valid for days as a rule.
    static let contentMilliseconds: Int64 = 60 * 60 * 1000
    /// A minute, for what was no answer, and for answers of no use: a server that fails is not asked with each evaluation.
    static let failureMilliseconds: Int64 = 60 * 1000
    /// What an entry takes besides its bytes.
    private static let entryBytes = 256

    private struct Entry {
        var content: [UInt8]?
        var time: Int64 = 0
        /// When it was asked last, and there was no answer.
        var failure: Int64?
        /// Counts uses.
        var use: UInt64 = 0
    }

    private var entries: [EvidenceSource: Entry] = [:]
    private var uses: UInt64 = 0
    private(set) var bytes = 0

    var count: Int { entries.count }

    /// What is known of a source.
    enum Knowledge: Equatable {
        case answer(EvidenceAnswer)
        case failure
        /// It has to be asked.
        case nothing
    }

    mutating func look(up order: EvidenceOrder, at now: Int64) -> Knowledge {
        guard let entry = entries[order.source] else { return .nothing }
        uses += 1
        entries[order.source]?.use = uses
        let age = now - entry.time
        let isOld = age >= Self.failureMilliseconds
        if let content = entry.content, order.isAnew ? !isOld : age < Self.contentMilliseconds {
            return .answer(EvidenceAnswer(content: content, isRenewable: isOld))
        }
        guard let failure = entry.failure, now - failure < Self.failureMilliseconds else { return .nothing }
        return .failure
    }

    /// Takes in what a source has answered just now, nil for a failure; that says nothing against an answer that there is. What was used longest ago makes room.
    mutating func note(_ content: [UInt8]?, of source: EvidenceSource, at now: Int64) {
        uses += 1
        var entry = entries[source] ?? Entry()
        if entries[source] != nil { bytes -= Self.size(source, entry) }
        if let content { (entry.content, entry.time, entry.failure) = (content, now, nil) } else { entry.failure = now }
        entry.use = uses
        entries[source] = entry
        bytes += Self.size(source, entry)
        while entries.count > Self.maximumEntries || bytes > Self.maximumBytes {
            guard let oldest = entries.min(by: { $0.value.use < $1.value.use }) else { return }
            entries[oldest.key] = nil
            bytes -= Self.size(oldest.key, oldest.value)
        }
    }

    private static func size(_ source: EvidenceSource, _ entry: Entry) -> Int {
        source.url.utf8.count + source.request.count + (entry.content?.count ?? 0) + entryBytes
    }
}
