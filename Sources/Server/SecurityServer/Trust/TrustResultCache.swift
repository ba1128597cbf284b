import ChatelaineModel
import ChatelaineSystem
import Crypto
import TrustProtocol

/// Judgements of the last minute, for programs that repeat a question: a server with the same client, or a client with
/// the same server.
///
/// trustd is a function of its question, which includes everything known: roots, settings, fetched answers. So the same
/// question has the same answer until one of its certificates starts or ends to be valid, which trustd reports. A
/// certificate that takes over a worker can falsify only the answer to its own question.
///
/// Each program has its own entries. Otherwise the time of an answer would tell a program what another one has asked.
final class TrustResultCache: Sendable {
    /// The milliseconds for which a judgement counts at most: for connections that follow each other.
    static let milliseconds: Int64 = 60_000
    static let most = 64
    /// The largest remembered question in bytes; usual chains take a tenth.
    ///
    /// Larger ones take longer to compare than they are worth.
    static let largestQuestion = 64 * 1024
    /// The bytes of all answers; each contains the certificates of its chain.
    static let mostBytes = 1024 * 1024

    private struct Known {
        let judgement: TrustJudgement
        let bytes: Int
        /// The time for which the judgement holds, in seconds since 1970.
        let dates: Range<Int64>
        /// When the entry ends, in milliseconds since the machine started, including its sleep.
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

    /// Makes an empty cache.
    ///
    /// - Parameter clock: milliseconds.
    init(clock: @escaping @Sendable () -> Int64 = { MonotonicClock.bootMilliseconds }) { self.clock = clock }

    /// The remembered judgement on a question, or that of `judge`; nil where `judge` returns nil.
    ///
    /// - Parameter caller: the path of the calling program; nil where it is unknown, and then nothing is remembered.
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

    /// The digest of everything except the time; nil for a question that is too large to remember.
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
    /// About how many bytes the judgement keeps.
    fileprivate var byteCount: Int {
        let chain = verdict.chain.reduce(0) { $0 + $1.certificate.count + $1.summary.utf8.count }
        let sources = needs.flatMap(\.sources).reduce(0) { $0 + $1.url.utf8.count + $1.request.count }
        return chain + sources + (verdict.key?.bytes.count ?? 0)
    }
}
