import ChatelaineModel
import SwiftASN1
import Testing
import TrustProtocol
import X509

@testable import TrustEvaluation

/// The search among those anchors whose names are in the chain, and the one among all of them.
struct AnchorChoiceTests {
    typealias Wish = TestCertificate.Wish

    private func name(_ value: RelativeDistinguishedName.Attribute.Value) -> DistinguishedName {
        DistinguishedName([
            RelativeDistinguishedName([.init(type: .RDNAttributeType.commonName, value: value)])
        ])
    }

    /// A chain whose root calls itself otherwise than what it issued does, and ten anchors of others.
    private func question(issuer: DistinguishedName, subject: DistinguishedName) throws -> TrustQuestion {
        let wish = Wish.authority("Root")
        let signer = try TestCertificate(wish.with { $0.subject = issuer })
        let anchor = try TestCertificate(
            wish.with {
                $0.subject = subject
                $0.key = signer.key
            })
        let between = try TestCertificate(.authority("Between"), by: signer)
        let leaf = try TestCertificate(Wish(), by: between)
        let others = try (0..<10).map { try TestCertificate(.authority("Other \($0)")) }
        var question = TrustQuestion([leaf.der, between.der], policies: [TrustPolicy(.ssl, name: "leaf.example.com")])
        question.anchors = others.map(\.der) + [anchor.der]
        question.hasOwnAnchorsOnly = true
        return question
    }

    private func verdict(_ question: TrustQuestion) -> TrustVerdict {
        TrustEvaluator.evaluate(TrustCase(question, now: TestCertificate.now))
    }

    @Test func oneOfTheSameBytesIsLikely() throws {
        let root = name(.init(utf8String: "Root"))
        let question = try question(issuer: root, subject: root)
        #expect(question.likelyAnchors() == [question.anchors[10]])
        #expect(verdict(question).isTrusted)
    }

    /// A letter with its accent, and the same as two signs: names that swift-certificates takes for one.
    @Test func whereTheLikelyOnesLeadNowhereAllAreTried() throws {
        let question = try question(
            issuer: name(.init(utf8String: "Re\u{301}seau")), subject: name(.init(utf8String: "R\u{E9}seau")))
        #expect(question.likelyAnchors() == [])
        let verdict = verdict(question)
        #expect(verdict.isTrusted && verdict.chain.last?.certificate == question.anchors[10])
    }

    /// Authorities write their name in the same type as in what they issue (RFC 5280, 4.1.2.6), and no other way leads to them.
    @Test func namesOfTwoTypesAreTwoNames() throws {
        let question = try question(
            issuer: name(try .init(printableString: "Root")), subject: name(.init(utf8String: "Root")))
        #expect(question.likelyAnchors() == [])
        #expect(verdict(question).chain.map(\.defects) == [[], [.noIssuer]])
    }

    /// One that was fetched leads to anchors like one that was given.
    @Test func aFetchedOneMakesAnAnchorLikely() throws {
        let root = name(.init(utf8String: "Root"))
        var question = try question(issuer: root, subject: root)
        let between = question.certificates.removeLast()
        #expect(question.likelyAnchors() == [])
        #expect(question.likelyAnchors(with: [between]) == [question.anchors[10]])
    }
}
