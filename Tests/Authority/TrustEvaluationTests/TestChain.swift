import ChatelaineModel
import Testing
import TrustProtocol

@testable import TrustEvaluation

/// A root, a certificate between and a server's certificate to a test's wishes, with the question about them.
struct TestChain {
    typealias Wish = TestCertificate.Wish

    var root: TestCertificate
    var between: TestCertificate
    var leaf: TestCertificate
    /// Further certificates of the question.
    var others: [TestCertificate] = []
    var policies: [TrustPolicy] = [TrustPolicy(.ssl, name: "leaf.example.com")]
    var date = TestCertificate.now

    init(
        root: Wish = .authority("Root"), between: Wish = .authority("Between"), leaf: Wish = Wish()
    ) throws {
        self.root = try TestCertificate(root)
        self.between = try TestCertificate(between, by: self.root)
        self.leaf = try TestCertificate(leaf, by: self.between)
    }

    var question: TrustQuestion {
        var question = TrustQuestion(
            [leaf.der, between.der] + others.map(\.der), policies: policies)
        question.anchors = [root.der]
        question.hasOwnAnchorsOnly = true
        return question
    }

    func judgement(_ change: (inout TrustCase) -> Void = { _ in }) -> TrustJudgement {
        var trustCase = TrustCase(question, now: date)
        change(&trustCase)
        return TrustEvaluator.judgeTwice(trustCase)
    }

    func verdict(_ change: (inout TrustCase) -> Void = { _ in }) -> TrustVerdict { judgement(change).verdict }

    /// The defects of each certificate in the chain that was found.
    func defects(_ change: (inout TrustCase) -> Void = { _ in }) -> [[TrustDefect]] {
        verdict(change).chain.map(\.defects)
    }

    /// The defects for one policy.
    func defects(for policy: TrustPolicy) -> [[TrustDefect]] { defects { $0.question.policies = [policy] } }
}

extension TrustEvaluator {
    /// Returns the verdict alone, for tests that need no fetched evidence.
    static func evaluate(_ trustCase: TrustCase) -> TrustVerdict { judgeTwice(trustCase).verdict }

    /// Judges a case alone and after itself, which must come to the same.
    static func judgeTwice(_ trustCase: TrustCase) -> TrustJudgement {
        let alone = judge(trustCase)
        var former: FormerChain?
        for _ in 0..<2 { #expect(judge(trustCase, after: &former) == alone) }
        return alone
    }
}
