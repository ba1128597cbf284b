import ChatelaineModel
import ChatelaineSystem
import Crypto
import TrustProtocol

/// Judgements of the last minute, for a program that asks the same once more: a server that has the same client again, or a client with the same server.
///
/// trustd is a function of its question, in which all is that is known: roots, settings, what was fetched. So the same question has the same answer until
/// one of its certificates begins or ends to be valid, which trustd says. Whoever takes a worker over says that of its own question alone.
///
/// Each program has its own: how long an answer takes would else tell one what another has asked.
final class TrustResultCache: Sendable {
    /// How long one counts, whatever trustd says: for connections that follow each other.
    static let milliseconds: Int64 = 60_000
    static let most = 64
    /// Bytes of a question that is remembered; those of usual chains are a tenth. Larger ones take longer to be compared than they are worth.
    static let largestQuestion = 64 * 1024
    /// Bytes of all answers; one has the certificates of its chain.
    static let mostBytes = 1024 * 1024

    private struct Known {
        let judgement: TrustJudgement
        let bytes: Int
        /// Seconds since 1970 for which it holds.
        let dates: Range<Int64>
        /// Milliseconds since the machine was started, with its sleep.
        let end: Int64
    }

    private struct State {
        var known: [SHA256Digest: Known] = [:]
        /// The oldest first.
        var order: [SHA256Digest] = []
        var bytes = 0

        mutating func forgetOldest() {
            guard !order.isEmpty, let oldest = known.removeValue(forKey: order.removeFirst()) else { return }
            bytes -= oldest.bytes
        }
    }

    private let state = AdaptiveMutex(State())
    private let clock: @Sendable () -> Int64

    /// - Parameter clock: milliseconds.
    init(clock: @escaping @Sendable () -> Int64 = { MonotonicClock.bootMilliseconds }) { self.clock = clock }

    /// What was found out about a question, or is by `judge`; nil where that is nil.
    ///
    /// - Parameter caller: the path of the program that asks; nil where nobody knows it, and then nothing is remembered.
    func judgement(
        on trustCase: TrustCase, for caller: String?,
        _ judge: (TrustCase) throws(KeychainError) -> TrustJudgement?
    ) throws(KeychainError) -> TrustJudgement? {
        guard let caller, let digest = Self.digest(of: trustCase, for: caller) else { return try judge(trustCase) }
        if let known = known(digest, at: trustCase.now) { return known }
        guard let judgement = try judge(trustCase) else { return nil }
        if let end = judgement.unchangedUntil, end > trustCase.now {
            remember(judgement, digest, trustCase.now..<end)
        }
        return judgement
    }

    private func known(_ digest: SHA256Digest, at date: Int64) -> TrustJudgement? {
        let now = clock()
        return state.withLock { state in
            guard let known = state.known[digest], now < known.end, known.dates.contains(date) else { return nil }
            return known.judgement
        }
    }

    private func remember(_ judgement: TrustJudgement, _ digest: SHA256Digest, _ dates: Range<Int64>) {
        let bytes = judgement.byteCount
        let known = Known(judgement: judgement, bytes: bytes, dates: dates, end: clock() + Self.milliseconds)
        state.withLock { state in
            if let former = state.known.removeValue(forKey: digest) {
                state.order.removeAll { $0 == digest }
                state.bytes -= former.bytes
            }
            guard bytes <= Self.mostBytes else { return }
            while state.order.count >= Self.most || state.bytes + bytes > Self.mostBytes { state.forgetOldest() }
            state.known[digest] = known
            state.order.append(digest)
            state.bytes += bytes
        }
    }

    /// Of all but the moment; nil for a question that is larger than is remembered.
    private static func digest(of trustCase: TrustCase, for caller: String) -> SHA256Digest? {
        var timeless = trustCase
        timeless.now = 0
        guard trustCase.question.byteCount <= largestQuestion else { return nil }
        var writer = CBORWriter()
        writer.write(caller)
        timeless.encode(to: &writer)
        let bytes = writer.finishArray()
        return bytes.count <= 2 * largestQuestion ? SHA256.hash(data: bytes) : nil
    }
}

extension TrustJudgement {
    /// What it keeps, about.
    fileprivate var byteCount: Int {
        let chain = verdict.chain.reduce(0) { $0 + $1.certificate.count + $1.summary.utf8.count }
        let sources = needs.flatMap(\.sources).reduce(0) { $0 + $1.url.utf8.count + $1.request.count }
        return chain + sources + (verdict.key?.bytes.count ?? 0)
    }
}
