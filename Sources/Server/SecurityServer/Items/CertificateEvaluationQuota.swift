import ChatelaineModel
import Crypto
import Synchronization

/// What of certificates is judged for one request, whichever keychains it looks into: so many, for so long, and each once.
final class CertificateEvaluationQuota: Sendable {
    private struct State {
        var left = CertificateLimits.maximumJudged
        /// What judging took so far, in milliseconds. What a person takes for a dialog does not count; a wait for trustd does.
        var spent: Int64 = 0
        /// By the certificates of the questions: all else is the same for one request.
        var verdicts: [SHA256Digest: Bool] = [:]
    }

    private let state = Mutex(State())
    private let isAwaited: @Sendable () -> Bool
    private let aside: @Sendable () -> Void
    private let clock: @Sendable () -> Int64

    /// - Parameters:
    ///   - isAwaited: whether anybody waits for the answer.
    ///   - aside: gives to others what the request holds, since judging takes long.
    init(
        isAwaited: @escaping @Sendable () -> Bool = { true }, aside: @escaping @Sendable () -> Void = {},
        clock: @escaping @Sendable () -> Int64 = { MonotonicClock.coarseMilliseconds }
    ) {
        (self.isAwaited, self.aside, self.clock) = (isAwaited, aside, clock)
    }

    /// What was found out about a question, or is now.
    ///
    /// - Throws: where more would have to be judged than one request may: an answer without the rest would say that there is none. No keychain is passed over for that.
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
            // It is not the keychain that is why nobody could look.
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
            // Where one ends and the next begins.
            withUnsafeBytes(of: UInt64(certificate.count)) { hash.update(bufferPointer: $0) }
            hash.update(data: certificate)
        }
        return hash.finalize()
    }
}
