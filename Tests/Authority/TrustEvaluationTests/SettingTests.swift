import ChatelaineModel
import Testing
import TrustProtocol

@testable import TrustEvaluation

/// Settings of the user and the administrator decide about a chain.
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
            $0.settings = [TrustCase.Setting(.user, certificate: certificate.der, constraints: constraints)]
        }
    }

    @Test func aSettingMakesAnAnchor() {
        #expect(verdict(of: chain.root, []).result == .proceed)
        #expect(verdict(of: chain.root, [TrustConstraint()]).result == .proceed)
        #expect(verdict(of: chain.root, [TrustConstraint(.unspecified)]).isTrusted == false)
        // A question with its own anchors only trusts no setting.
        #expect(verdict(of: chain.root, [], ownOnly: true).isTrusted == false)
        let between = verdict(of: chain.between, [TrustConstraint(.trustAsRoot)])
        #expect(between.result == .proceed && between.chain.count == 2)
        #expect(verdict(of: chain.leaf, [TrustConstraint(.trustAsRoot)]).chain.count == 1)
    }

    /// A result for roots makes no anchor of any other certificate, and the reverse.
    @Test func aResultIsForItsCertificates() {
        for constraints in [[], [TrustConstraint()], [TrustConstraint(policy: .ssl, allowedError: -67602)]] {
            #expect(!verdict(of: chain.between, constraints).isTrusted, "\(constraints)")
        }
        #expect(!verdict(of: chain.root, [TrustConstraint(.trustAsRoot)]).isTrusted)
        // The entry is passed over, with the error that it allows, and others count.
        let wrong = TrustConstraint(allowedError: -67602)
        #expect(verdict(of: chain.between, [wrong, TrustConstraint(.trustAsRoot)]).isTrusted)
        #expect(verdict(of: chain.between, [wrong, TrustConstraint(.deny)], hasAnchor: true).result == .deny)
        #expect(verdict(of: chain.between, [wrong], hasAnchor: true).result == .unspecified)
        #expect(verdict(of: chain.between, [], hasAnchor: true).result == .unspecified)
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

    /// The name of a setting is compared as certificates' names are.
    @Test(arguments: [
        ("leaf.example.com", "LEAF.example.com."), ("leaf.example.com.", "leaf.example.com"),
        ("192.0.2.1", "192.0.2.1"), ("::1", "0:0::1"), ("::1", "[::1]"), ("ada@example.com", "Ada@Example.com."),
    ])
    func aNameIsTheSameHoweverItIsSpelled(set: String, asked: String) {
        let constraint = TrustConstraint(.deny, policyName: set)
        #expect(constraint.concerns(TrustPolicy(.ssl, name: asked)))
        #expect(!constraint.concerns(TrustPolicy(.ssl, name: "other.example.com")))
        #expect(!constraint.concerns(TrustPolicy(.ssl)))
        let denied = chain.verdict {
            $0.question.policies = [TrustPolicy(.ssl, name: asked)]
            $0.settings = [TrustCase.Setting(.admin, certificate: chain.leaf.der, constraints: [constraint])]
        }
        #expect(denied.result == .deny)
    }

    /// Trust must cover all policies of a question. A denial for one of them suffices.
    @Test func aSettingIsForEachPolicyThatIsAsked() {
        func verdict(_ policies: [TrustPolicy], _ settings: [TrustCase.Setting]) -> TrustVerdict {
            chain.verdict {
                $0.question.anchors = []
                $0.question.hasOwnAnchorsOnly = false
                $0.question.policies = policies
                $0.question.certificates.append(chain.root.der)
                $0.settings = settings
            }
        }
        func setting(_ domain: TrustSetting.Domain, _ constraints: TrustConstraint...) -> TrustCase.Setting {
            TrustCase.Setting(domain, certificate: chain.root.der, constraints: constraints)
        }
        let both = [TrustPolicy(.ssl, name: "leaf.example.com"), TrustPolicy(.basic)]
        let revocation = TrustPolicy(.revocation, revocation: .ocsp)
        let ssl = setting(.user, TrustConstraint(policy: .ssl))
        #expect(!verdict(both, [ssl]).isTrusted)
        #expect(verdict([both[0]], [ssl]).isTrusted && verdict([both[0], revocation], [ssl]).isTrusted)
        #expect(
            verdict(both, [setting(.user, TrustConstraint(policy: .ssl), TrustConstraint(policy: .basic))]).isTrusted)
        #expect(verdict(both, [ssl, setting(.admin, TrustConstraint(policy: .basic))]).isTrusted)
        #expect(
            verdict(both, [setting(.user, TrustConstraint(.deny, policy: .basic), TrustConstraint())]).result == .deny)
        // A certificate trusted for one purpose only is not denied because its revocation is asked about.
        let only = setting(.user, TrustConstraint(policy: .ssl), TrustConstraint(.deny))
        #expect(verdict([both[0], revocation], [only]).isTrusted && verdict(both, [only]).result == .deny)
        #expect(
            verdict([both[0], revocation], [setting(.user, TrustConstraint(.deny, policy: .revocation)), ssl]).result
                == .deny)
    }

    /// The user's settings come before root's. Within one domain a denial counts, in any order.
    @Test func aDenialIsNotUndoneByAnotherOfItsDomain() {
        func result(_ settings: (TrustSetting.Domain, TrustConstraint.Result)...) -> TrustVerdict.Result {
            chain.verdict {
                $0.settings = settings.map {
                    TrustCase.Setting($0.0, certificate: chain.root.der, constraints: [TrustConstraint($0.1)])
                }
            }.result
        }
        #expect(result((.admin, .trustRoot), (.admin, .deny)) == .deny)
        #expect(result((.admin, .deny), (.admin, .trustRoot)) == .deny)
        #expect(result((.user, .trustRoot), (.admin, .deny)) != .deny)
        #expect(result((.user, .deny), (.admin, .trustRoot)) == .deny)
        // A setting that leaves the decision to others decides nothing.
        #expect(result((.user, .unspecified), (.admin, .deny)) == .deny)
        #expect(verdict(of: chain.root, [TrustConstraint(.unspecified), TrustConstraint()]).result == .proceed)
    }

    /// Anybody can derive a second ECDSA signature, and so a second certificate that is as valid.
    @Test func whatIsDeniedIsDeniedUnderAnotherSignature() throws {
        let twin = try chain.between.withTheOtherSignature()
        #expect(twin != chain.between.der)
        func verdict(_ settings: TrustCase.Setting...) -> TrustVerdict {
            chain.verdict {
                $0.question.certificates[1] = twin
                $0.settings = settings
            }
        }
        #expect(verdict().isTrusted)
        let denied = TrustCase.Setting(.user, certificate: chain.between.der, constraints: [TrustConstraint(.deny)])
        #expect(verdict(denied).result == .deny)
        // Trust applies only to the certificate that the user has seen.
        let trusted = TrustCase.Setting(
            .user, certificate: chain.between.der, constraints: [TrustConstraint(.trustAsRoot)])
        #expect(verdict(trusted).result != .proceed)
        let root = TrustCase.Setting(.admin, certificate: chain.between.der, constraints: [TrustConstraint(.deny)])
        #expect(verdict(trusted, root).result == .deny)
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
        func verdict(_ error: Int64, _ result: TrustConstraint.Result = .unspecified) -> TrustVerdict {
            expired.verdict {
                $0.settings = [
                    TrustCase.Setting(
                        .user, certificate: expired.leaf.der,
                        constraints: [TrustConstraint(result, allowedError: error)]
                    )
                ]
            }
        }
        #expect(verdict(-67818).isTrusted)
        #expect(!verdict(-67602).isTrusted)
        // An entry that is not for this certificate allows nothing.
        #expect(!verdict(-67818, .trustRoot).isTrusted)
    }

    @Test func anAllowedErrorTakesNoResultAway() throws {
        var old = try TestChain(root: .authority("Root").with { $0.until = TestCertificate.now - 1 })
        old.policies = [TrustPolicy(.ssl)]
        func verdict(_ constraint: TrustConstraint, hasAnchor: Bool = false) -> TrustVerdict {
            old.verdict {
                if !hasAnchor { $0.question.anchors = [] }
                $0.question.hasOwnAnchorsOnly = hasAnchor
                $0.settings = [TrustCase.Setting(.user, certificate: old.root.der, constraints: [constraint])]
            }
        }
        #expect(verdict(TrustConstraint(allowedError: -67818)).result == .proceed)
        #expect(verdict(TrustConstraint(.deny, allowedError: -67818), hasAnchor: true).result == .deny)
        // A denial is not an error that can be allowed.
        #expect(verdict(TrustConstraint(.deny, allowedError: -67654), hasAnchor: true).result == .deny)
    }

    /// A constraint that only allows an error trusts, but a denial beside it still denies.
    @Test func anAllowedErrorUndoesNoDenial() {
        let (allowing, denying) = (TrustConstraint(allowedError: -67818), TrustConstraint(.deny))
        for constraints in [[allowing, denying], [denying, allowing], [denying, TrustConstraint()]] {
            #expect(verdict(of: chain.root, constraints, ownOnly: true, hasAnchor: true).result == .deny)
        }
        for constraints in [[TrustConstraint(), denying], [allowing, TrustConstraint(), denying]] {
            #expect(verdict(of: chain.root, constraints).result == .proceed)
        }
        let elsewhere = TrustConstraint(.deny, policy: .smime)
        #expect(verdict(of: chain.root, [allowing, elsewhere]).result == .proceed)
    }

    /// Only the result of a setting says whether a certificate is trusted.
    @Test func thatNobodyTrustsItIsNoErrorThatIsAllowed() {
        for error: Int64 in [-67843, -25318] {
            for ownOnly in [false, true] {
                let constraint = TrustConstraint(.unspecified, allowedError: error)
                for certificate in [chain.root, chain.between] {
                    let found = chain.verdict {
                        $0.question.anchors = []
                        $0.question.hasOwnAnchorsOnly = ownOnly
                        $0.question.certificates.append(chain.root.der)
                        $0.settings = [
                            TrustCase.Setting(.user, certificate: certificate.der, constraints: [constraint])
                        ]
                    }
                    #expect(!found.isTrusted)
                }
            }
        }
    }
}
