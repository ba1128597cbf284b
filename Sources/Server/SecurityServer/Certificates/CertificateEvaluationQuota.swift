import ChatelaineModel
import ChatelaineSystem
import Crypto
import Synchronization

/// Bounds the certificate evaluations of one request, over all keychains that it searches: their number, their time,
/// and one for each certificate.
final class CertificateEvaluationQuota: Sendable {
    private struct State {
        var left = CertificateLimits.maximumJudged
        /// The time that judging took so far, in milliseconds.
        ///
        /// A wait for trustd counts; the time of a person in a dialog does not.
        var spent: Int64 = 0
        /// Verdicts by the certificates of the questions.
        ///
        /// Everything else is the same within one request.
        var verdicts: [SHA256Digest: Bool] = [:]
    }

    private let state = Mutex(State())
    private let isAwaited: @Sendable () -> Bool
    private let aside: @Sendable () -> Void
    private let clock: @Sendable () -> Int64

    /// Makes the quota of one request.
    ///
    /// - Parameters:
    ///   - isAwaited: whether anybody waits for the answer.
    ///   - aside: releases what the request holds, since judging takes long.
    init(
        isAwaited: @escaping @Sendable () -> Bool = { true }, aside: @escaping @Sendable () -> Void = {},
        clock: @escaping @Sendable () -> Int64 = { MonotonicClock.coarseMilliseconds }
    ) {
        (self.isAwaited, self.aside, self.clock) = (isAwaited, aside, clock)
    }

    /// The verdict on a question, found now unless it is known.
    ///
    /// - Throws: where the request would need more evaluations than it may have, since an incomplete answer would say
    ///   that nothing else matches. The error never skips a keychain.
    func verdict(
        on question: TrustQuestion, _ judge: (TrustQuestion) throws(KeychainError) -> Bool
    ) throws(KeychainError) -> Bool {
        let digest = Self.digest(of: question)
        if let known = state.withLock({ $0.verdicts[digest] }) { return known }
        try begin()
        aside()
        let verdict: Bool
        let start = clock()
        defer {
            let spent = clock() - start
            state.withLock { $0.spent += spent }
        }
        do throws(KeychainError) { verdict = try judge(question) } catch {
            guard error.status == .notAvailable else { throw error }
            // The keychain is not the reason of the failure.
            throw KeychainError(cause: .request, status: error.status, error.reason)
        }
        state.withLock { $0.verdicts[digest] = verdict }
        return verdict
    }

    private func begin() throws(KeychainError) {
        guard isAwaited() else {
            throw KeychainError(
                cause: .request, status: .notAvailable, "the connection ended while certificates were judged for it")
        }
        let (left, spent) = state.withLock { state in
            defer { state.left = max(0, state.left - 1) }
            return (state.left, state.spent)
        }
        guard left > 0 else {
            throw KeychainError(
                cause: .request, status: .param,
                "more than \(CertificateLimits.maximumJudged) certificates would have to be judged for one search: narrow it by other keys"
            )
        }
        guard spent < Int64(CertificateLimits.maximumJudgingSeconds) * 1000 else {
            throw KeychainError(
                cause: .request, status: .notAvailable,
                "certificates were judged for \(CertificateLimits.maximumJudgingSeconds) seconds for one search, and more are left: narrow it by other keys, or try again when the machine has less to do"
            )
        }
    }

    private static func digest(of question: TrustQuestion) -> SHA256Digest {
        var hash = SHA256()
        for certificate in question.certificates {
            // The length separates one certificate from the next.
            withUnsafeBytes(of: UInt64(certificate.count)) { hash.update(bufferPointer: $0) }
            hash.update(data: certificate)
        }
        return hash.finalize()
    }
}
