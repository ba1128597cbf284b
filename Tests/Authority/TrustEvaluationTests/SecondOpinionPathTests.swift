import ChatelaineModel
import Crypto
import Testing
import TrustProtocol
import X509

@testable import TrustEvaluation

/// `openssl verify` finds the same paths among certificates.
struct SecondOpinionPathTests {
    typealias Wish = TestCertificate.Wish

    /// - Parameters:
    ///   - certificates: The judged certificate, and those that may stand between.
    ///   - difference: Why openssl has another opinion, nil where it agrees.
    private func expect(
        _ what: String, _ certificates: [TestCertificate], anchors: [TestCertificate], isGood: Bool,
        difference: String? = nil, location: SourceLocation = #_sourceLocation
    ) throws {
        var question = TrustQuestion(certificates.map(\.der), policies: [TrustPolicy(.basic)])
        question.anchors = anchors.map(\.der)
        question.hasOwnAnchorsOnly = true
        let ours = TrustEvaluator.evaluate(TrustCase(question, now: TestCertificate.now))
        let theirs = try OpenSSLFolder().judgement(
            of: certificates[0], through: Array(certificates.dropFirst()), to: anchors)
        #expect(ours.isTrusted == isGood, "\(what): \(ours.chain.map(\.defects))", sourceLocation: location)
        #expect(
            (theirs.exitStatus == 0) == (difference == nil ? isGood : !isGood), "\(what): \(theirs.errors)",
            sourceLocation: location)
    }

    private static let firstWay = "openssl goes on with the first issuer whose name fits, and does not come back"

    private static func newKey() -> Certificate.PrivateKey { Certificate.PrivateKey(P256.Signing.PrivateKey()) }

    @Test func crossedIssuers() throws {
        let (old, new) = (try TestCertificate(.authority("Old")), try TestCertificate(.authority("New")))
        let key = Self.newKey()
        let shared = Wish.authority("Shared").with { $0.key = key }
        let (byOld, byNew) = (try TestCertificate(shared, by: old), try TestCertificate(shared, by: new))
        let leaf = try TestCertificate(Wish(), by: byOld)
        try expect("to the old one", [leaf, byOld, byNew], anchors: [old], isGood: true)
        try expect("to the new one", [leaf, byNew, byOld], anchors: [new], isGood: true)
        try expect(
            "to the new one, which comes last", [leaf, byOld, byNew], anchors: [new], isGood: true,
            difference: Self.firstWay)
        try expect("to none", [leaf, byOld, byNew], anchors: [try TestCertificate(.authority("Third"))], isGood: false)
        let own = try TestCertificate(shared)
        try expect("its own root", [leaf, byOld], anchors: [own], isGood: true)
        try expect("its own root, given", [leaf, byOld, own], anchors: [new], isGood: false)
    }

    @Test func anExpiredWayAndAGoodOne() throws {
        let root = try TestCertificate(.authority("Root"))
        let key = Self.newKey()
        let shared = Wish.authority("Shared").with { $0.key = key }
        let expired = try TestCertificate(shared.with { $0.until = TestCertificate.now - 1 }, by: root)
        let renewed = try TestCertificate(shared, by: root)
        let leaf = try TestCertificate(Wish(), by: expired)
        for order in [[leaf, expired, renewed], [leaf, renewed, expired]] {
            try expect("renewed", order, anchors: [root], isGood: true)
        }
        try expect("not renewed", [leaf, expired], anchors: [root], isGood: false)
    }

    @Test func issuersOfEachOther() throws {
        let (one, two) = (Self.newKey(), Self.newKey())
        let first = try TestCertificate(.authority("One").with { $0.key = one })
        let second = try TestCertificate(.authority("Two").with { $0.key = two })
        let firstBySecond = try TestCertificate(.authority("One").with { $0.key = one }, by: second)
        let secondByFirst = try TestCertificate(.authority("Two").with { $0.key = two }, by: first)
        let leaf = try TestCertificate(Wish(), by: first)
        let loop = [leaf, firstBySecond, secondByFirst]
        try expect("a loop", loop, anchors: [try TestCertificate(.authority("Elsewhere"))], isGood: false)
        try expect("a loop with a way out", loop, anchors: [second], isGood: true)
    }

    @Test func lengths() throws {
        let root = try TestCertificate(.authority("Root"))
        func chain(_ lengths: [Int?], isRenewed: Bool = false) throws -> [TestCertificate] {
            var (issuer, all) = (root, [TestCertificate]())
            for (index, length) in lengths.enumerated() {
                // A certificate whose subject is its issuer's name is a renewed key of the same authority.
                let name = isRenewed && index == lengths.count - 1 ? "Issuer \(index - 1)" : "Issuer \(index)"
                issuer = try TestCertificate(.authority(name).with { $0.pathLength = length }, by: issuer)
                all.insert(issuer, at: 0)
            }
            return [try TestCertificate(Wish(), by: issuer)] + all
        }
        try expect("one below", try chain([1, nil]), anchors: [root], isGood: true)
        try expect("one too many", try chain([0, nil]), anchors: [root], isGood: false)
        try expect("two too many", try chain([nil, 0, nil, nil]), anchors: [root], isGood: false)
        try expect("longer below than above", try chain([1, 9, nil]), anchors: [root], isGood: false)
        try expect(
            "a renewed key below", try chain([0, nil], isRenewed: true), anchors: [root], isGood: true,
            difference:
                "without identifiers of keys openssl takes a renewed key's certificate for one that signed itself")
    }

    @Test func wrongSignatures() throws {
        let root = try TestCertificate(.authority("Root"))
        let between = try TestCertificate(.authority("Between"), by: root)
        let stranger = try TestCertificate(.authority("Between"), by: try TestCertificate(.authority("Root")))
        try expect(
            "a stranger's", [try TestCertificate(Wish(), by: stranger), between], anchors: [root], isGood: false)
        let leaf = try TestCertificate(Wish(), by: between)
        try expect(
            "a stranger of that name beside it", [leaf, stranger, between], anchors: [root], isGood: true,
            difference: Self.firstWay)
        try expect("of another root of that name", [leaf, stranger], anchors: [root], isGood: false)
    }

    @Test func anchors() throws {
        let root = try TestCertificate(.authority("Root"))
        let between = try TestCertificate(.authority("Between"), by: root)
        let leaf = try TestCertificate(Wish(), by: between)
        let alone = try TestCertificate(Wish())
        try expect("the certificate itself", [alone], anchors: [alone], isGood: true)
        try expect(
            "an issuer that is no root", [leaf], anchors: [between], isGood: true,
            difference: "without -partial_chain openssl ends a chain at a root alone")
        try expect("a root that nobody trusts", [leaf, between, root], anchors: [alone], isGood: false)
    }
}
