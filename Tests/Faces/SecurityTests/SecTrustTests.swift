import ChatelaineModel
import Dispatch
import Foundation
import Testing

@testable import Security

/// Tests of trust evaluations through Apple's calls without a daemon: the answer is already there.
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

    /// A program that accepts other names must not take a chain that nobody trusts for one with another name.
    @Test func theMostSeriousDefectIsTheError() {
        let trust = SecTrust(TrustQuestion([[1], [2]], policies: [TrustPolicy(.basic)]))
        trust.state.withLock { state in
            state.verdict = TrustVerdict(
                result: .recoverableTrustFailure,
                chain: [
                    TrustVerdict.Link(certificate: [1], summary: "leaf", defects: [.wrongHostName, .expired]),
                    TrustVerdict.Link(certificate: [2], summary: "root", defects: [.notTrusted]),
                ])
            state.evaluated = 1
        }
        var error: CFError?
        #expect(!SecTrustEvaluateWithError(trust, &error))
        #expect(error?.code == -67843 && error?.localizedDescription.contains("root") == true)
        let beneath = error?.userInfo[NSUnderlyingErrorKey] as? NSError
        #expect(beneath?.code == -67843 && beneath?.domain == error?.domain)
        let text = beneath?.localizedDescription ?? ""
        #expect(
            text.hasPrefix("Certificate 0 “leaf” has errors: ") && text.contains(";Certificate 1 “root” has errors: "))
    }

    /// As Apple's default, the network is allowed for evaluations by a TLS policy and for no others.
    @Test func theNetworkIsAllowedUnlessAProgramSaysOtherwise() throws {
        let trust = trust()
        var isAllowed = DarwinBoolean(true)
        #expect(SecTrustGetNetworkFetchAllowed(trust, &isAllowed) == errSecSuccess && !isAllowed.boolValue)
        trust.change { $0.question.policies = [TrustPolicy(.basic), TrustPolicy(.ssl, name: "a")] }
        #expect(SecTrustGetNetworkFetchAllowed(trust, &isAllowed) == errSecSuccess && isAllowed.boolValue)
        #expect(trust.state.withLock { $0.question.allowsFetching } == nil)
        let revocation = TrustPolicy(.revocation, revocation: .ocsp)
        trust.change { $0.question.policies = [TrustPolicy(.basic), revocation] }
        #expect(SecTrustGetNetworkFetchAllowed(trust, &isAllowed) == errSecSuccess && isAllowed.boolValue)
        trust.change { $0.question.policies += [TrustPolicy(.ssl), TrustPolicy(.revocation, revocation: .noNetwork)] }
        #expect(SecTrustGetNetworkFetchAllowed(trust, &isAllowed) == errSecSuccess && !isAllowed.boolValue)
        trust.change { $0.question.policies = [TrustPolicy(.basic)] }
        #expect(SecTrustSetNetworkFetchAllowed(trust, true) == errSecSuccess)
        #expect(SecTrustGetNetworkFetchAllowed(trust, &isAllowed) == errSecSuccess && isAllowed.boolValue)
        trust.state.withLock { $0.verdict = self.trust().state.withLock { $0.verdict } }
        var result = SecTrustResultType.invalid
        #expect(SecTrustGetTrustResult(trust, &result) == errSecSuccess && result == .unspecified)
        #expect(SecTrustSetNetworkFetchAllowed(trust, false) == errSecSuccess)
        #expect(SecTrustGetNetworkFetchAllowed(trust, &isAllowed) == errSecSuccess && !isAllowed.boolValue)
        #expect(trust.state.withLock { $0.question.allowsFetching } == false)
        // A result that needed the network does not count once the network is forbidden.
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

    /// Each call makes the anchors the only ones again, as Apple documents it.
    @Test func anchorsThatAreSetAreTheOnlyOnes() {
        let trust = trust()
        SecTrustSetAnchorCertificatesOnly(trust, false)
        #expect(trust.state.withLock { $0.hasOwnAnchorsOnly } == false)
        for anchors: NSArray? in [[SecCertificate(der: [2])], nil] {
            #expect(SecTrustSetAnchorCertificates(trust, anchors) == errSecSuccess)
            #expect(trust.state.withLock { $0.hasOwnAnchorsOnly } == nil)
        }
    }

    private func verdict(_ chain: (UInt8, [TrustDefect])...) -> TrustVerdict {
        TrustVerdict(
            result: .recoverableTrustFailure,
            chain: chain.map { TrustVerdict.Link(certificate: [$0.0], summary: "c", defects: $0.1) })
    }

    @Test func anExceptionIsForEachOfItsCertificates() throws {
        let found = verdict((1, [.expired]), (2, []), (3, [.notTrusted, .expired]))
        let exceptions = try #require(TrustExceptions(TrustExceptions(found).data))
        #expect(exceptions == TrustExceptions(found))
        #expect(exceptions.applied(to: found).result == .proceed)
        // The exceptions do not cover another certificate in an issuer's place, or a new defect of the second
        // certificate.
        let others = [
            verdict((1, [.expired]), (2, []), (4, [.notTrusted])), verdict((1, []), (2, [.expired])),
            verdict((1, []), (4, [.expired])), verdict((4, [.expired])),
        ]
        for other in others {
            #expect(exceptions.applied(to: other).result == .recoverableTrustFailure, "\(other)")
        }
        #expect(exceptions.applied(to: verdict((1, [.expired]))).result == .proceed)
        #expect(TrustExceptions([1, 2]) == nil)
    }

    /// Defects that are already excepted are copied again, since a program may keep only the second copy.
    @Test func exceptionsAreCopiedOfAllThatWasFound() throws {
        let found = verdict((1, [.expired]))
        let trust = trust()
        trust.state.withLock { ($0.found, $0.verdict) = (found, TrustExceptions(found).applied(to: found)) }
        #expect(try TrustCalls.verdict(of: trust).isTrusted)
        let data = try #require(SecTrustCopyExceptions(trust))
        let copied = try #require(TrustExceptions([UInt8](data as Data)))
        #expect(copied.applied(to: found).result == .proceed)
    }

    @Test func aKeyIsOfItsKind() throws {
        let trust = trust()
        let bytes: [UInt8] = [
            0xD7, 0x5A, 0x98, 0x01, 0x82, 0xB1, 0x0A, 0xB7, 0xD5, 0x4B, 0xFE, 0xD3, 0xC9, 0x64, 0x07, 0x3A,
            0x0E, 0xE1, 0x72, 0xF3, 0xDA, 0xA6, 0x23, 0x25, 0xAF, 0x02, 0x1A, 0x68, 0xF7, 0x07, 0x51, 0x1A,
        ]
        trust.state.withLock { $0.verdict?.key = TrustVerdict.Key(.ed25519, bytes) }
        let key = try #require(SecTrustCopyKey(trust))
        #expect(SecKeyCopyExternalRepresentation(key, nil) as Data? == Data(bytes))
    }

    @Test func optionsAreThoseThatThereAre() {
        let trust = trust()
        #expect(SecTrustSetOptions(trust, [.allowExpired, .implicitAnchors]) == errSecSuccess)
        #expect(trust.state.withLock { $0.question.options } == [.allowExpired, .implicitAnchors])
        var result = SecTrustResultType.proceed
        #expect(SecTrustGetTrustResult(trust, &result) == errSecSuccess && result == .invalid)
        #expect(SecTrustSetOptions(trust, SecTrustOptionFlags(rawValue: 128)) == errSecParam)
        #expect(trust.state.withLock { $0.question.options } == [.allowExpired, .implicitAnchors])
        #expect(SecTrustSetOptions(trust, []) == errSecSuccess)
        #expect(trust.state.withLock { $0.question.options }.isEmpty)
    }

    @Test func keychainsAreKeychains() throws {
        let trust = trust()
        var keychain: SecKeychain?
        #expect(SecKeychainOpen("some.keychain", &keychain) == errSecSuccess)
        let one = try #require(keychain)
        for (given, kept) in [
            (one, .these([one])), ([one] as NSArray, .these([one])), (NSArray(), .none), (nil, .searchList),
        ] as [(CFTypeRef?, ChainKeychains)] {
            #expect(SecTrustSetKeychains(trust, given) == errSecSuccess)
            #expect(trust.state.withLock { $0.keychains } == kept)
        }
        #expect(SecTrustSetKeychains(trust, "login" as NSString) == errSecParam)
        #expect(SecTrustSetKeychains(trust, ["login"] as NSArray) == errSecParam)
    }

    @Test func propertiesOfAPolicyChange() throws {
        let policy = try #require(SecPolicyCreateWithOID(kSecPolicyAppleSSL))
        let same = SecPolicyCreateSSL(true, nil)
        #expect(policy == same && policy.hash == same.hash)
        var made: SecTrust?
        let changes: NSDictionary = [
            kSecPolicyName: "host.example.com", kSecPolicyClient: true, kSecPolicyKU_KeyAgreement: true,
            kSecPolicyKU_DecipherOnly: true,
        ]
        #expect(SecPolicySetProperties(policy, changes) == errSecSuccess && policy != same)
        #expect(policy.policy == TrustPolicy(.ssl, isClient: true, name: "host.example.com", keyUsage: 0x110))
        let copied = try #require(SecPolicyCopyProperties(policy))
        #expect(copied[kSecPolicyKU_KeyAgreement] as? Bool == true && copied[kSecPolicyKU_CRLSign] == nil)
        // The copied properties make an equal policy.
        #expect(SecPolicyCreateWithProperties(kSecPolicyAppleSSL, copied) == policy)
        #expect(SecPolicySetProperties(same, copied) == errSecSuccess && same == policy)
        #expect(SecPolicySetProperties(policy, [kSecPolicyKU_KeyAgreement: false]) == errSecSuccess)
        #expect(policy.policy.keyUsage == 0x100)
        for wrong in [
            ["no such": true], [kSecPolicyKU_CRLSign: "yes"], [kSecPolicyKU_CRLSign: 2], [kSecPolicyName: 1],
            [kSecPolicyOid: kSecPolicyAppleSMIME], [kSecPolicyRevocationFlags: 1],
        ] as [NSDictionary] {
            #expect(SecPolicySetProperties(policy, wrong) == errSecParam, "\(wrong)")
        }
        #expect(policy.policy == TrustPolicy(.ssl, isClient: true, name: "host.example.com", keyUsage: 0x100))
        #expect(SecTrustCreateWithCertificates(SecCertificate(der: [1]), policy, &made) == errSecSuccess)
        let client = try #require(SecPolicyCreateWithOID(kSecPolicyApplePKINITClient))
        #expect(client.policy == TrustPolicy(.pkinitClient))
        #expect(SecPolicySetProperties(client, [kSecPolicyName: "realm"]) == errSecParam)
        #expect(SecPolicyCreateWithOID(kSecPolicyApplePKINITServer)?.policy == TrustPolicy(.pkinitServer))
        #expect(SecPolicyCreateWithOID("1.2.3" as NSString) == nil && SecPolicyCreateWithOID(NSNumber(value: 3)) == nil)
    }

    @Test func aDateThatIsNoNumberChangesNothing() {
        let trust = trust()
        #expect(SecTrustSetVerifyDate(trust, NSDate(timeIntervalSinceReferenceDate: 7)) == errSecSuccess)
        #expect(SecTrustSetVerifyDate(trust, NSDate(timeIntervalSinceReferenceDate: .nan)) == errSecParam)
        #expect(SecTrustGetVerifyTime(trust) == 7)
    }

    @Test func policiesOfRevocationSayWhetherTheNetworkIsAsked() throws {
        let flags = kSecRevocationUseAnyAvailableMethod | kSecRevocationNetworkAccessDisabled
        let policy = try #require(SecPolicyCreateRevocation(flags))
        #expect(policy.policy.revocation == [.ocsp, .lists, .noNetwork])
        // Programs switch revocation off by this flag alone.
        let none = try #require(SecPolicyCreateRevocation(kSecRevocationNetworkAccessDisabled))
        #expect(none.policy.revocation == .noNetwork)
        #expect(SecPolicyCreateRevocation(0) == nil && SecPolicyCreateRevocation(1 << 5) == nil)
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
