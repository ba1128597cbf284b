import TrustProtocol

/// The answers of servers, for later evaluations; in memory only.
///
/// The cache parses no answer, and so does not know how long one is valid. That is known to trustd, and an answer that
/// trustd finds too old is asked for again. The time in the cache is the time for which a new revocation may stay
/// unknown here.
struct EvidenceCache {
    /// The number of entries: enough for the chains of dozens of servers.
    static let maximumEntries = 256
    /// The bytes of all entries: eight lists of the largest size, or thousands of answers.
    static let maximumBytes = 8 * 1024 * 1024
    /// The milliseconds for which an answer is kept: an hour.
    ///
    /// Answers of authorities are usually valid for days.
    static let contentMilliseconds: Int64 = 60 * 60 * 1000
    /// The milliseconds for which a failure, or a useless answer, is kept: a minute.
    ///
    /// So a failing server is not asked with each evaluation.
    static let failureMilliseconds: Int64 = 60 * 1000
    /// The bytes that an entry takes besides its content.
    private static let entryBytes = 256

    private struct Entry {
        var content: [UInt8]?
        var time: Int64 = 0
        /// When the source was last asked without an answer.
        var failure: Int64?
        /// The number of the last use.
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
        /// The source has to be asked.
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

    /// Notes a source's new answer, or nil for a failure, which does not remove an earlier answer.
    ///
    /// The least recently used entries make room.
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
