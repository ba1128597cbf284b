import ChatelaineModel
import Testing
import TrustProtocol
import X509

@testable import TrustEvaluation

/// The options of an evaluation change its result (behaviour/trust.md).
struct OptionTests {
    typealias Wish = TestCertificate.Wish

    private static let good: [[TrustDefect]] = [[], [], []]
    private static let long = TestCertificate.now - 2000 * TestCertificate.day
    private static let before = TestCertificate.now - TestCertificate.day

    private func defects(
        _ chain: TestChain, _ options: TrustOptions, _ change: (inout TrustCase) -> Void = { _ in }
    ) -> [[TrustDefect]] {
        chain.defects { trustCase in
            trustCase.question.policies = [TrustPolicy(.basic)]
            trustCase.question.options = options
            change(&trustCase)
        }
    }

    private func ended(_ wish: Wish) -> Wish {
        wish.with { ($0.from, $0.until) = (Self.long, Self.before) }
    }

    @Test func whatHasExpiredIsPassedOverButForTheRoot() throws {
        let leaf = try TestChain(leaf: ended(Wish()))
        #expect(defects(leaf, []) == [[.expired], [], []])
        #expect(defects(leaf, .allowExpired) == Self.good)
        #expect(defects(leaf, .allowExpiredRoot) == [[.expired], [], []])
        let between = try TestChain(between: ended(.authority("Between")))
        #expect(defects(between, .allowExpired) == Self.good)
        let root = try TestChain(root: ended(.authority("Root")))
        #expect(defects(root, .allowExpired) == [[], [], [.expired]])
        #expect(defects(root, .allowExpiredRoot) == Self.good)
        // A certificate that is not valid yet is not expired.
        let early = try TestChain(leaf: Wish().with { $0.from = TestCertificate.now + TestCertificate.day })
        #expect(defects(early, [.allowExpired, .allowExpiredRoot]) == [[.notYetValid], [], []])
    }

    @Test func whatSignedItselfIsAnAnchorWhereThatIsSaid() throws {
        var chain = try TestChain()
        chain.others = [chain.root]
        func verdict(_ options: TrustOptions, _ settings: [TrustCase.Setting] = []) -> TrustVerdict {
            chain.verdict { trustCase in
                trustCase.question.anchors = []
                trustCase.question.options = options
                trustCase.settings = settings
            }
        }
        #expect(verdict([]).chain.map(\.defects) == [[], [], [.notTrusted]])
        #expect(verdict(.implicitAnchors).result == .unspecified)
        // A denial counts.
        let denied = TrustCase.Setting(.user, certificate: chain.root.der, constraints: [TrustConstraint(.deny)])
        #expect(verdict(.implicitAnchors, [denied]).result == .deny)
        // A certificate with equal subject and issuer that it did not sign itself is not an anchor.
        let other = try TestCertificate(.authority("Other"))
        let pretended = try TestCertificate(.authority("Other"), by: other)
        let leaf = try TestCertificate(Wish(), by: pretended)
        var question = TrustQuestion([leaf.der, pretended.der], policies: [TrustPolicy(.basic)])
        question.options = .implicitAnchors
        let judged = TrustEvaluator.evaluate(TrustCase(question, now: TestCertificate.now))
        #expect(!judged.isTrusted)
    }

    @Test func whatAKeychainHasStandsBetweenAndIsNoAnchor() throws {
        let chain = try TestChain()
        let (between, root) = (chain.between.der, chain.root.der)
        func verdict(_ given: [[UInt8]], stored: [[UInt8]], _ options: TrustOptions) -> TrustVerdict {
            chain.verdict { trustCase in
                trustCase.question.policies = [TrustPolicy(.basic)]
                trustCase.question.anchors = []
                trustCase.question.certificates = [chain.leaf.der] + given
                trustCase.question.stored = stored
                trustCase.question.options = options
            }
        }
        #expect(verdict([root], stored: [between], .implicitAnchors).isTrusted)
        #expect(!verdict([root], stored: [between], []).isTrusted)
        let found = verdict([], stored: [between, root], .implicitAnchors)
        #expect(found.chain.map(\.defects) == [[], [], [.notTrusted]])
    }

    @Test func eachCertificateNeedsAnAnswerWhereThatIsSaid() throws {
        let chain = try TestChain()
        #expect(
            defects(chain, .requireRevocationOfEach) == [[.revocationUnknown], [.revocationUnknown], []])
        let alone = TrustPolicy(.revocation, revocation: [.ocsp, .requirePositiveResponse])
        #expect(defects(chain, []) { $0.question.policies.append(alone) } == [[.revocationUnknown], [], []])
    }

    /// No answer about revocation helps a chain that nobody trusts.
    @Test func aRootThatIsMissingIsToldBeforeAnAnswerThatIsMissing() throws {
        let verdict = try TestChain().verdict {
            $0.question.anchors = []
            $0.question.policies = [TrustPolicy(.basic)]
            $0.question.options = .requireRevocationOfEach
        }
        #expect(verdict.chain.first?.defects == [.revocationUnknown])
        #expect(verdict.firstDefect?.defect == .noIssuer || verdict.firstDefect?.defect == .notTrusted)
    }

    @Test func anAuthorityMayBeJudgedInAnyCase() throws {
        let chain = try TestChain(leaf: .authority("Leaf"))
        #expect(defects(chain, []) == Self.good && defects(chain, .leafIsAuthority) == Self.good)
    }

    @Test func issuersAreFetchedWhereThatIsSaidAndNothingElseIs() {
        var question = TrustQuestion([[1]], policies: [TrustPolicy(.basic)])
        #expect(!question.fetchesIssuers)
        question.options = .fetchIssuers
        #expect(question.fetchesIssuers && !question.asksAboutRevocation)
        question.allowsFetching = false
        #expect(!question.fetchesIssuers)
    }
}
