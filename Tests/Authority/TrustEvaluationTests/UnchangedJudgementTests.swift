import ChatelaineModel
import Testing
import TrustProtocol

@testable import TrustEvaluation

/// trustd says until when a judgement stays the same.
struct UnchangedJudgementTests {
    typealias Wish = TestCertificate.Wish

    private static let (now, day) = (TestCertificate.now, TestCertificate.day)

    /// The judgement is the same up to the second before, and differs then.
    @Test func aCertificateEndsOrBegins() throws {
        let chains = [
            try TestChain(),
            try TestChain(between: .authority("Between").with { $0.until = Self.now + Self.day }),
            try TestChain(leaf: Wish().with { $0.from = Self.now + Self.day }),
            try TestChain(root: .authority("Root").with { $0.until = Self.now - Self.day }),
        ]
        for chain in chains {
            let first = chain.judgement()
            let end = try #require(first.unchangedUntil)
            #expect(end > Self.now)
            #expect(chain.judgement { $0.now = end - 1 } == first)
            #expect(chain.judgement { $0.now = end }.verdict != first.verdict)
        }
        #expect(chains[1].judgement().unchangedUntil == Self.now + Self.day + 1)
        #expect(chains[2].judgement().unchangedUntil == Self.now + Self.day)
    }

    /// Other certificates may give a better path once they are valid.
    @Test func whatStandsBesideCountsToo() throws {
        var chain = try TestChain(between: .authority("Between").with { $0.until = Self.now - Self.day })
        let later = try TestCertificate(
            .authority("Between").with { ($0.from, $0.key) = (Self.now + Self.day, chain.between.key) }, by: chain.root)
        chain.others = [later]
        #expect(chain.judgement().unchangedUntil == Self.now + Self.day)
        #expect(chain.verdict { $0.now = Self.now + Self.day }.isTrusted && !chain.verdict().isTrusted)
    }

    @Test func whatDependsOnNoTimeNeverChanges() throws {
        let chain = try TestChain()
        #expect(chain.judgement { $0.question.date = Self.now }.unchangedUntil == .max)
        #expect(chain.judgement { $0.question.certificates = [[0x30, 0]] }.unchangedUntil == .max)
    }

    /// Another search may get further than one that ran out of time. Any other limit is the same for each search.
    @Test func whatASearchDidNotComeToIsNotKept() throws {
        let chain = try TestChain()
        let trustCase = TrustCase(chain.question, now: chain.date)
        let decisions = SettingDecisions([], for: chain.policies)
        let leaf = try #require(ReadCertificate(chain.leaf.der))
        let candidates = Candidates(trustCase, decisions, leaf: leaf, fetched: [])
        let search = ChainSearch(
            candidates, ChainExamination(trustCase, candidates, decisions, RevocationSources(trustCase)))
        let late = search.run(time: .zero)
        #expect(late.wasCutShort && !late.chain.isGood)
        let found = search.run()
        #expect(!found.wasCutShort && found.chain.isGood)
        let budget = SearchBudget()
        while budget.takeChain() {}
        #expect(!budget.wasCutShort)
    }

    /// Evidence of revocation ages by itself.
    @Test func aboutRevocationNothingIsSaid() throws {
        let chain = try TestChain()
        #expect(chain.judgement { $0.question.responses = [[1]] }.unchangedUntil == nil)
        #expect(chain.judgement { $0.question.revocationLists = [[1]] }.unchangedUntil == nil)
        #expect(chain.judgement { $0.fetched.responses = [[1]] }.unchangedUntil == nil)
    }
}
