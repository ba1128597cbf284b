import ChatelaineModel
import Dispatch
import Foundation
import Testing

@testable import Security

/// Evaluations of trust through Apple's calls, as far as no daemon is asked: the answer is there already.
@Suite struct SecTrustTests {
    private static let policy = TrustPolicy(.revocation, revocation: [.ocsp])

    private func trust(
        _ policies: [TrustPolicy] = [TrustPolicy(.basic)], defects: [TrustDefect] = [], goodUntil: Int64? = nil
    ) -> SecTrust {
        let trust = SecTrust(TrustQuestion([[1]], policies: policies))
        trust.state.withLock { state in
            let link = TrustVerdict.Link(certificate: [1], summary: "leaf", defects: defects)
            state.verdict = TrustVerdict(
                result: defects.isEmpty ? .unspecified : .fatalTrustFailure, chain: [link], goodUntil: goodUntil)
            state.evaluated = 1
        }
        return trust
    }

    /// Apple's default: for an evaluation by a policy of TLS, and for no other.
    @Test func theNetworkIsAllowedUnlessAProgramSaysOtherwise() throws {
        let trust = trust()
        var isAllowed = DarwinBoolean(true)
        #expect(SecTrustGetNetworkFetchAllowed(trust, &isAllowed) == errSecSuccess && !isAllowed.boolValue)
        trust.change { $0.question.policies = [TrustPolicy(.basic), TrustPolicy(.ssl, name: "a")] }
        #expect(SecTrustGetNetworkFetchAllowed(trust, &isAllowed) == errSecSuccess && isAllowed.boolValue)
        #expect(trust.state.withLock { $0.question.allowsFetching } == nil)
        trust.change { $0.question.policies = [TrustPolicy(.basic)] }
        #expect(SecTrustSetNetworkFetchAllowed(trust, true) == errSecSuccess)
        #expect(SecTrustGetNetworkFetchAllowed(trust, &isAllowed) == errSecSuccess && isAllowed.boolValue)
        trust.state.withLock { $0.verdict = self.trust().state.withLock { $0.verdict } }
        var result = SecTrustResultType.invalid
        #expect(SecTrustGetTrustResult(trust, &result) == errSecSuccess && result == .unspecified)
        #expect(SecTrustSetNetworkFetchAllowed(trust, false) == errSecSuccess)
        #expect(SecTrustGetNetworkFetchAllowed(trust, &isAllowed) == errSecSuccess && !isAllowed.boolValue)
        #expect(trust.state.withLock { $0.question.allowsFetching } == false)
        // What was answered by the network is no answer without it.
        #expect(SecTrustGetTrustResult(trust, &result) == errSecSuccess && result == .invalid)
    }

    @Test func theResultSaysWhetherRevocationIsKnown() {
        func details(_ trust: SecTrust) -> (isChecked: Bool?, until: Date?) {
            let result = SecTrustCopyResult(trust)
            return (
                result?[kSecTrustRevocationChecked] as? Bool, result?[kSecTrustRevocationValidUntilDate] as? Date
            )
        }
        let end = Date(timeIntervalSince1970: 1_800_000_000)
        for policies in [[TrustPolicy(.basic)], [TrustPolicy(.basic), Self.policy]] {
            #expect(details(trust(policies, goodUntil: 1_800_000_000)) == (true, end))
        }
        #expect(details(trust()) == (nil, nil))
        #expect(details(trust([Self.policy])) == (false, nil))
        #expect(details(trust([Self.policy], defects: [.revoked])) == (nil, nil))
    }

    @Test func policiesOfRevocationSayWhetherTheNetworkIsAsked() throws {
        let flags = kSecRevocationUseAnyAvailableMethod | kSecRevocationNetworkAccessDisabled
        let policy = try #require(SecPolicyCreateRevocation(flags))
        #expect(policy.policy.revocation == [.ocsp, .lists, .noNetwork])
        #expect(SecPolicyCreateRevocation(kSecRevocationNetworkAccessDisabled) == nil)
    }

    @Test func anAnswerComesOnTheQueueThatWasNamed() async {
        let queue = DispatchQueue(label: "test.answers")
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let isThere = await withCheckedContinuation { continuation in
            SecTrustEvaluateAsyncWithError(trust(), queue) { _, isTrusted, error in
                continuation.resume(
                    returning: isTrusted && error == nil && DispatchQueue.getSpecific(key: key) == true)
            }
        }
        #expect(isThere)
        let refused = await withCheckedContinuation { continuation in
            SecTrustEvaluateAsyncWithError(trust(defects: [.revoked]), queue) { _, isTrusted, error in
                continuation.resume(returning: isTrusted ? 0 : error.map { CFErrorGetCode($0) })
            }
        }
        #expect(refused == -67820)
        let result = await withCheckedContinuation { continuation in
            SecTrustEvaluateAsync(trust(), queue) { _, result in
                continuation.resume(returning: DispatchQueue.getSpecific(key: key) == true ? result.rawValue : 0)
            }
        }
        #expect(result == SecTrustResultType.unspecified.rawValue)
    }
}
