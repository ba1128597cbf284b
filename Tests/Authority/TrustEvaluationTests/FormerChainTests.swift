import ChatelaineModel
import Crypto
import SwiftASN1
import Testing
import TrustProtocol
import X509

@testable import TrustEvaluation

/// An evaluation that begins with the last chain comes to what a whole search comes to.
struct FormerChainTests {
    typealias Wish = TestCertificate.Wish

    private let chain: TestChain
    private let stranger: TestCertificate

    init() throws {
        chain = try TestChain()
        stranger = try TestCertificate(.authority("Between"), by: try TestCertificate(.authority("Root")))
    }

    private func trustCase(
        _ leaf: TestCertificate, _ change: (inout TrustCase) -> Void = { _ in }
    ) -> TrustCase {
        var question = chain.question
        question.certificates[0] = leaf.der
        var trustCase = TrustCase(question, now: chain.date)
        change(&trustCase)
        return trustCase
    }

    /// The chain that a case leaves behind for the next one.
    private func left(by trustCase: TrustCase) -> FormerChain? {
        var former: FormerChain?
        _ = TrustEvaluator.judge(trustCase, after: &former)
        return former
    }

    private func isUsed(_ former: FormerChain?, for trustCase: TrustCase) throws -> Bool {
        let leaf = try #require(ReadCertificate(trustCase.question.certificates[0]))
        return former?.chain(for: leaf, in: trustCase) != nil
    }

    @Test func anotherCertificateOfTheIssuerTakesItsChain() throws {
        let former = try #require(left(by: trustCase(chain.leaf)))
        let next = try TestCertificate(Wish(), by: chain.between)
        #expect(try isUsed(former, for: trustCase(next)))
        #expect(try isUsed(former, for: trustCase(next) { ($0.question.date, $0.now) = (chain.date + 5, 7) }))
        let leaf = try #require(ReadCertificate(next.der))
        let (found, candidates) = try #require(former.chain(for: leaf, in: trustCase(next)))
        #expect(found.map(\.der) == [next.der, chain.between.der, chain.root.der])
        #expect(candidates.leaf.der == next.der && candidates.all.count == 3)
        #expect(!candidates.all.contains { $0.der == chain.leaf.der })
    }

    @Test func whatMayLeadElsewhereIsSearched() throws {
        let former = try #require(left(by: trustCase(chain.leaf)))
        let next = try TestCertificate(Wish(), by: chain.between)
        let changes: [(inout TrustCase) -> Void] = [
            { $0.question.certificates.append(stranger.der) }, { $0.question.certificates.removeLast() },
            { $0.question.anchors.append(stranger.der) }, { $0.question.anchors.append(next.der) },
            { $0.question.stored = [stranger.der] }, { $0.question.hasOwnAnchorsOnly = false },
            { $0.question.options = .implicitAnchors }, { $0.question.policies.append(TrustPolicy(.basic)) },
            { $0.roots = [stranger.der] }, { $0.fetched.issuers = [stranger.der] },
        ]
        for change in changes { #expect(try !isUsed(former, for: trustCase(next, change))) }
        let leaves = [
            try TestCertificate(Wish(), by: chain.root), try TestCertificate(Wish(), by: stranger),
            try TestCertificate(Wish.authority("Between"), by: chain.between), try TestCertificate(Wish()),
            // The name and the key of the certificate above it.
            try TestCertificate(Wish().with { ($0.name, $0.key) = ("Between", chain.between.key) }, by: chain.between),
            try TestCertificate(
                Wish().with {
                    $0.others = [
                        try Certificate.Extension(AuthorityKeyIdentifier(keyIdentifier: [1, 2, 3]), critical: false)
                    ]
                }, by: chain.between),
        ]
        for leaf in leaves { #expect(try !isUsed(former, for: trustCase(leaf))) }
    }

    @Test func onlyAGoodChainThatWasFoundFirstIsKept() throws {
        #expect(left(by: trustCase(chain.leaf)) != nil)
        #expect(left(by: trustCase(chain.leaf) { $0.question.policies = [TrustPolicy(.ssl, name: "other")] }) == nil)
        #expect(left(by: trustCase(chain.leaf) { $0.question.anchors = [stranger.der] }) == nil)
        #expect(left(by: trustCase(chain.leaf) { $0.question.anchors = [chain.leaf.der] }) == nil)
        // An expired way was tried before.
        let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let shared = Wish.authority("Shared").with { $0.key = key }
        let expired = try TestCertificate(shared.with { $0.until = TestCertificate.now - 1 }, by: chain.root)
        let (renewed, leaf) = (try TestCertificate(shared, by: chain.root), try TestCertificate(Wish(), by: expired))
        let orders = [[expired, renewed], [renewed, expired]].map { order in
            left(by: trustCase(leaf) { $0.question.certificates = [leaf.der] + order.map(\.der) }) != nil
        }
        #expect(orders.sorted { !$0 && $1 } == [false, true])
    }

    /// Whatever the next certificate is, the result does not depend on the last one.
    @Test func theResultDoesNotDependOnTheLastQuestion() throws {
        let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let crossed = try TestCertificate(
            .authority("Between").with { $0.key = chain.between.key }, by: try TestCertificate(.authority("Other")))
        let wishes = [
            Wish(), Wish().with { $0.name = "other.example.com" }, Wish().with { $0.until = TestCertificate.now - 1 },
            Wish().with { $0.purposes = [.clientAuth] }, Wish().with { $0.isAuthority = true },
            Wish().with { ($0.name, $0.key) = ("Between", chain.between.key) }, Wish().with { $0.key = key },
        ]
        var leaves: [TestCertificate] = []
        for wish in wishes {
            for issuer in [chain.between, chain.root, stranger] { leaves.append(try TestCertificate(wish, by: issuer)) }
        }
        let changes: [(inout TrustCase) -> Void] = [
            { _ in }, { $0.question.certificates.append(crossed.der) }, { $0.question.anchors.append(crossed.der) },
            { $0.question.certificates.insert(crossed.der, at: 1) }, { $0.question.options = .implicitAnchors },
            { $0.settings = [.init(.user, certificate: leaves[0].der, constraints: [])] },
        ]
        for change in changes {
            let cases = leaves.map { trustCase($0, change) }
            let alone = cases.map { TrustEvaluator.judge($0) }
            for first in cases.indices {
                var former: FormerChain?
                for second in [first] + cases.indices {
                    #expect(TrustEvaluator.judge(cases[second], after: &former) == alone[second])
                }
            }
        }
    }
}
