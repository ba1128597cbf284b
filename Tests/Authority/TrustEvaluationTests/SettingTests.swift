import ChatelaineModel
import Testing
import TrustProtocol

@testable import TrustEvaluation

/// What settings of a person or the administrator make of a chain.
struct SettingTests {
    private let chain: TestChain

    init() throws { chain = try TestChain() }

    private func verdict(
        of certificate: TestCertificate, _ constraints: [TrustConstraint], ownOnly: Bool = false,
        hasAnchor: Bool = false
    ) -> TrustVerdict {
        chain.verdict {
            if !hasAnchor { $0.question.anchors = [] }
            $0.question.hasOwnAnchorsOnly = ownOnly
            $0.settings = [TrustCase.Setting(certificate: certificate.der, constraints: constraints)]
        }
    }

    @Test func aSettingMakesAnAnchor() {
        #expect(verdict(of: chain.root, []).result == .proceed)
        #expect(verdict(of: chain.root, [TrustConstraint()]).result == .proceed)
        #expect(verdict(of: chain.root, [TrustConstraint(.unspecified)]).isTrusted == false)
        // Whoever trusts its own anchors alone trusts no setting.
        #expect(verdict(of: chain.root, [], ownOnly: true).isTrusted == false)
        let between = verdict(of: chain.between, [TrustConstraint(.trustAsRoot)])
        #expect(between.result == .proceed && between.chain.count == 2)
        #expect(verdict(of: chain.leaf, [TrustConstraint(.trustAsRoot)]).chain.count == 1)
    }

    @Test func aSettingIsForItsPolicy() {
        #expect(verdict(of: chain.root, [TrustConstraint(policy: .ssl)]).isTrusted)
        #expect(!verdict(of: chain.root, [TrustConstraint(policy: .smime)]).isTrusted)
        #expect(verdict(of: chain.root, [TrustConstraint(policy: .ssl, policyName: "LEAF.example.com")]).isTrusted)
        #expect(!verdict(of: chain.root, [TrustConstraint(policy: .ssl, policyName: "other.example.com")]).isTrusted)
        #expect(verdict(of: chain.root, [TrustConstraint(.deny, policy: .smime), TrustConstraint()]).isTrusted)
        #expect(!verdict(of: chain.root, [TrustConstraint(keyUsage: 1)]).isTrusted)
        #expect(verdict(of: chain.root, [TrustConstraint(keyUsage: .max)]).isTrusted)
    }

    @Test func whatIsDeniedIsDenied() {
        for certificate in [chain.root, chain.between, chain.leaf] {
            for ownOnly in [false, true] {
                let denied = verdict(of: certificate, [TrustConstraint(.deny)], ownOnly: ownOnly, hasAnchor: true)
                #expect(denied.result == .deny && denied.firstDefect?.defect.status.rawValue == -67654)
            }
        }
    }

    @Test func anErrorMayBeAllowed() throws {
        var expired = try TestChain(leaf: TestCertificate.Wish().with { $0.until = TestCertificate.now - 1 })
        expired.policies = [TrustPolicy(.ssl)]
        func verdict(_ error: Int64) -> TrustVerdict {
            expired.verdict {
                $0.settings = [
                    TrustCase.Setting(
                        certificate: expired.leaf.der, constraints: [TrustConstraint(.unspecified, allowedError: error)]
                    )
                ]
            }
        }
        #expect(verdict(-67818).isTrusted)
        #expect(!verdict(-67602).isTrusted)
    }
}
