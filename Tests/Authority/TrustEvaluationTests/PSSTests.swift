import ChatelaineModel
import SwiftASN1
import TestSupport
import Testing
import TrustProtocol
import X509

@testable import TrustEvaluation

/// Certificates signed with RSA-PSS, which swift-certificates cannot read, stand anywhere in a chain.
struct PSSTests {
    typealias Wish = TestCertificate.Wish
    typealias PSS = TestCertificate.PSS

    /// Made once, since RSA keys take long.
    private static let keys = Result { (try Certificate.PrivateKey.rsa(), try Certificate.PrivateKey.rsa()) }
    private let root: TestCertificate
    private let between: TestCertificate
    private let leaf: TestCertificate

    init() throws {
        let (rootKey, key) = try Self.keys.get()
        root = try TestCertificate(.authority("Root").with { $0.key = rootKey })
        between = try TestCertificate(.authority("Between").with { $0.key = key }, by: root)
        leaf = try TestCertificate(Wish(), by: between)
    }

    private func verdict(_ certificates: [[UInt8]], anchors: [[UInt8]]) -> TrustVerdict {
        var question = TrustQuestion(certificates, policies: [TrustPolicy(.ssl, name: "leaf.example.com")])
        (question.anchors, question.hasOwnAnchorsOnly) = (anchors, true)
        return TrustEvaluator.evaluate(TrustCase(question, now: TestCertificate.now))
    }

    private func defects(_ certificates: [[UInt8]], anchors: [[UInt8]]) -> [[TrustDefect]] {
        verdict(certificates, anchors: anchors).chain.map(\.defects)
    }

    @Test(arguments: PSS.allCases) func aLeafIs(_ pss: PSS) throws {
        let signed = try leaf.der(signedBy: pss, of: between)
        let good = verdict([signed, between.der], anchors: [root.der])
        #expect(good.isTrusted && good.chain.map(\.certificate) == [signed, between.der, root.der])
        #expect(good.chain.first?.summary == "leaf.example.com" && good.key?.kind == .p256)
        // Another key of the same name has not signed it.
        let other = try TestCertificate(.authority("Between").with { $0.key = root.key }, by: root)
        #expect(defects([signed, other.der], anchors: [root.der]) == [[.noIssuer]])
        #expect(verdict([signed, other.der, between.der], anchors: [root.der]).isTrusted)
        // A changed signature, and a changed certificate, are those of nobody.
        for place in [signed.count - 3, signed.count / 3] {
            var forged = signed
            forged[place] ^= 1
            #expect(!verdict([forged, between.der], anchors: [root.der]).isTrusted)
        }
    }

    /// Each place of a chain, and all of them; openssl agrees.
    @Test(arguments: [[0], [1], [2], [0, 1], [1, 2], [0, 1, 2]]) func anyOfThemIs(_ places: [Int]) throws {
        let signers = [between, root, root]
        let chain = try zip([leaf, between, root], signers).enumerated().map { place, pair in
            places.contains(place) ? try pair.0.der(signedBy: .sha256, of: pair.1) : pair.0.der
        }
        let good = verdict(Array(chain.dropLast()), anchors: [chain[2]])
        #expect(good.isTrusted && good.chain.map(\.certificate) == chain)
        #expect(verdict([chain[0], chain[2], chain[1]], anchors: [chain[2]]).isTrusted)
        let folder = try OpenSSLFolder()
        #expect(try folder.judgement(of: chain[0], through: [chain[1]], to: [chain[2]]).exitStatus == 0)
        // Without an anchor the whole chain is reported.
        let lost = verdict(chain, anchors: [])
        #expect(lost.chain.map(\.certificate) == chain && lost.chain.map(\.defects) == [[], [], [.notTrusted]])
        #expect(defects([chain[0]], anchors: [chain[2]]) == [[.noIssuer]])
        // It ends where the program says.
        let short = verdict(Array(chain.dropLast()), anchors: [chain[1]])
        #expect(short.isTrusted && short.chain.map(\.certificate) == Array(chain.dropLast()))
    }

    /// Requirements hold for it as for any other certificate.
    @Test func whatIsRequiredStays() throws {
        let key = between.key
        let wishes: [(Wish, TrustDefect)] = [
            (Wish(name: "Between").with { $0.key = key }, .notAnAuthority),
            (.authority("Between").with { ($0.key, $0.until) = (key, TestCertificate.now - 1) }, .expired),
            (.authority("Between").with { ($0.key, $0.usage) = (key, KeyUsage(cRLSign: true)) }, .notAnAuthority),
        ]
        for (wish, defect) in wishes {
            let bad = try TestCertificate(wish, by: root).der(signedBy: .sha256, of: root)
            #expect(defects([leaf.der, bad], anchors: [root.der])[1].contains(defect))
        }
    }

    /// Authorities that certify each other are walked once.
    @Test func loopsEnd() throws {
        let two = try TestCertificate(.authority("Root").with { $0.key = root.key }, by: between)
        let loop = [
            try leaf.der(signedBy: .sha256, of: between), try between.der(signedBy: .sha256, of: root),
            try two.der(signedBy: .sha256, of: between),
        ]
        #expect(!verdict(loop, anchors: []).isTrusted)
        #expect(verdict(loop, anchors: [root.der]).chain.count == 3)
    }

    /// What is left to walk when the time is over is not walked, however much a stranger has sent.
    @Test func aWalkEndsWithItsTime() throws {
        let names = (0..<8).map { _ in "Root" }
        let lower = try names.map { try TestCertificate(.authority($0).with { $0.key = between.key }, by: root) }
        let upper = try names.map { try TestCertificate(.authority($0).with { $0.key = root.key }, by: lower[0]) }
        let leaf = try TestCertificate(Wish(), by: upper[0]).der(signedBy: .sha256, of: upper[0])
        let certificates =
            try upper.map { try $0.der(signedBy: .sha256, of: lower[0]) }
            + lower.map { try $0.der(signedBy: .sha256, of: upper[0]) }
        let question = TrustQuestion([leaf] + certificates, policies: [TrustPolicy(.basic)])
        let evaluation = TrustCase(question, now: TestCertificate.now)
        let decisions = SettingDecisions([], for: question.policies)
        let candidates = Candidates(
            evaluation, decisions, leaf: try #require(ReadCertificate(leaf)), fetched: [])
        let examination = ChainExamination(evaluation, candidates, decisions, RevocationSources(evaluation))
        let (looks, start) = (Counter(), ContinuousClock.now)
        // The time is over at the sixtieth look, in the middle of the second certificates.
        let budget = SearchBudget(time: .seconds(1)) { start + (looks.next() > 60 ? .seconds(2) : .zero) }
        ChainWalk(candidates, to: candidates.between, ChainReport(examination, isAnchored: false, budget), budget).run()
        #expect(budget.wasCutShort && looks.value > 60 && looks.value <= 64)
    }

    /// The copy that is read instead of a certificate does not stand for it, nor it for the copy.
    @Test func theCopyIsNobody() throws {
        let signed = try between.der(signedBy: .sha256, of: root)
        let copy = try ReadableCopy.bytes(of: signed)
        #expect(verdict([leaf.der, signed, copy], anchors: [root.der]).isTrusted)
        #expect(!verdict([leaf.der, copy], anchors: [root.der]).isTrusted)
        #expect(!verdict([leaf.der, copy, signed], anchors: [root.der]).isTrusted)
        #expect(!verdict([leaf.der, copy], anchors: [signed]).isTrusted)
        // As an anchor it is trusted for its key, as every other is.
        #expect(verdict([leaf.der, signed], anchors: [copy]).chain.map(\.certificate) == [leaf.der, copy])
    }

    @Test func otherParametersAreNotVerified() throws {
        func found(_ algorithm: [UInt8]) throws -> [[TrustDefect]] {
            defects([try leaf.der(signedBy: algorithm), between.der], anchors: [root.der])
        }
        #expect(try found(PSS.sha256.algorithm(salt: 20)) == [[.unreadable]])
        #expect(try found(PSS.sha256.algorithm(mask: .sha512)) == [[.unreadable]])
        #expect(try found(PSS.sha256.algorithm(trailer: 2)) == [[.unreadable]])
        // Read, but signed otherwise.
        #expect(try found(PSS.sha256.algorithm(trailer: 1)) == [[.noIssuer]])
    }

    /// No other kind of key has made such a signature.
    @Test func aCurveSignsNone() throws {
        let chain = try TestChain()
        let signed = try chain.leaf.der(signedBy: PSS.sha256.algorithm())
        #expect(defects([signed, chain.between.der], anchors: [chain.root.der]) == [[.noIssuer]])
    }

    /// Lists and answers may be signed so, and the certificate of who signs them.
    @Test func aRevocationIsReadFromSuchAList() throws {
        let authority = try OpenSSLAuthority(between: .authority("Between").with { $0.key = between.key })
        try authority.index(authority.chain.leaf, isRevoked: true)
        let options = ["-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_pss_saltlen:digest"]
        let list = try authority.list(options: options)
        #expect(SignatureAlgorithm(ofSigned: list).isOurs)
        #expect(authority.defects(lists: [list]) == [[.revoked], [], []])
        #expect(authority.defects(lists: [list.dropLast() + [list[list.count - 1] ^ 1]]) == OpenSSLAuthority.good)
        let answer = try authority.answer(options: options)
        #expect(authority.defects(responses: [answer]) == [[.revoked], [], []])
    }
}
