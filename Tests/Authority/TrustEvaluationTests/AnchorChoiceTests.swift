import ChatelaineModel
import SwiftASN1
import Testing
import TrustProtocol
import X509

@testable import TrustEvaluation

/// The search among anchors whose names are in the chain finds what the search among all anchors finds.
struct AnchorChoiceTests {
    typealias Wish = TestCertificate.Wish

    private func name(_ value: RelativeDistinguishedName.Attribute.Value) -> DistinguishedName {
        DistinguishedName([
            RelativeDistinguishedName([.init(type: .RDNAttributeType.commonName, value: value)])
        ])
    }

    /// A question with ten other anchors, about a chain whose root has another name than its certificates give as their
    /// issuer.
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

    /// An accented letter and its two-character form are names that swift-certificates treats as equal.
    @Test func whereTheLikelyOnesLeadNowhereAllAreTried() throws {
        let question = try question(
            issuer: name(.init(utf8String: "Re\u{301}seau")), subject: name(.init(utf8String: "R\u{E9}seau")))
        #expect(question.likelyAnchors() == [])
        let verdict = verdict(question)
        #expect(verdict.isTrusted && verdict.chain.last?.certificate == question.anchors[10])
    }

    /// They are found in another spelling, but not among the likely ones, which are of the same bytes.
    @Test func namesOfTwoTypesAreOneName() throws {
        let question = try question(
            issuer: name(try .init(printableString: "Root")), subject: name(.init(utf8String: "Root")))
        #expect(question.likelyAnchors() == [])
        #expect(verdict(question).isTrusted)
    }

    /// A fetched certificate leads to anchors as a given one does.
    @Test func aFetchedOneMakesAnAnchorLikely() throws {
        let root = name(.init(utf8String: "Root"))
        var question = try question(issuer: root, subject: root)
        let between = question.certificates.removeLast()
        #expect(question.likelyAnchors() == [])
        #expect(question.likelyAnchors(with: [between]) == [question.anchors[10]])
    }
}
