import ChatelaineModel
import Crypto
import Foundation
import Testing
import TrustProtocol
import X509

@testable import TrustEvaluation

/// Only valid evidence from servers counts.
struct FetchedEvidenceTests {
    typealias Wish = TestCertificate.Wish

    private static let (responder, list) = ("http://ocsp.example.com/", "http://lists.example.com/between.crl")
    private static let good = OpenSSLAuthority.good

    // MARK: Revocation

    @Test func answersAboutEachCertificateCount() throws {
        var authority = try OpenSSLAuthority(
            between: .authority("Between").with { $0.others = [try TestSources.lists([Self.list])] },
            leaf: Wish().with { $0.others = [try TestSources.access([Self.responder])] })
        authority.chain.policies.append(
            TrustPolicy(.revocation, revocation: [.ocsp, .lists, .requirePositiveResponse]))
        let chain = authority.chain
        #expect(chain.defects() == [[.revocationUnknown], [.revocationUnknown], []])
        #expect(chain.judgement().needs.map { $0.sources.map(\.url) } == [[Self.list], [Self.responder]])
        // Without a network nobody can be asked about the second certificate, and the first one requires an answer.
        #expect(chain.defects { $0.question.allowsFetching = false } == [[.revocationUnknown], [], []])

        try authority.index(chain.leaf)
        let good = try authority.answer(days: 3)
        try authority.index()
        let list = try authority.list(by: "root", days: 2)
        let half = chain.judgement { $0.fetched.responses = [good] }
        #expect(half.verdict.chain.map(\.defects) == [[], [.revocationUnknown], []])
        #expect(half.needs.map { $0.sources.map(\.url) } == [[Self.list]])
        let whole = chain.judgement {
            $0.fetched.responses = [[1, 2, 3], good]
            $0.fetched.revocationLists = [list, good]
        }
        #expect(whole.verdict.isTrusted && whole.needs.isEmpty)
        // The judgement holds until the earlier of the two may change.
        let days = Double((whole.verdict.goodUntil ?? 0) - chain.date) / Double(TestCertificate.day)
        #expect(days.rounded() == 2)

        try authority.index(chain.between, isRevoked: true)
        let revoked = try authority.list(by: "root")
        let bad = chain.judgement {
            $0.fetched.responses = [good]
            $0.fetched.revocationLists = [list, revoked]
        }
        #expect(bad.verdict.chain.map(\.defects) == [[], [.revoked], []] && bad.needs.isEmpty)
        #expect(bad.verdict.result == .fatalTrustFailure)
    }

    @Test func whatIsUnknownIsAskedOfTheNext() throws {
        let authority = try OpenSSLAuthority(
            leaf: Wish().with { $0.others = [try TestSources.access([Self.responder])] })
        let chain = authority.chain
        // The responder does not know the certificate.
        try authority.index(chain.between)
        let unknown = try authority.answer()
        let judgement = chain.judgement {
            $0.question.policies.append(TrustPolicy(.revocation, revocation: [.ocsp]))
            $0.fetched.responses = [unknown]
        }
        #expect(judgement.verdict.isTrusted && judgement.verdict.goodUntil == nil)
        #expect(judgement.needs.count == 1)
        #expect(
            authority.defects {
                $0.question.policies.append(
                    TrustPolicy(.revocation, revocation: [.ocsp, .requirePositiveResponse]))
                $0.fetched.responses = [unknown]
            } == [[.revocationUnknown], [], []])
    }

    /// An answer can be required only from issuers that publish one.
    @Test func issuersThatPublishNothingNeedNoAnswer() throws {
        let rows: [(others: [Certificate.Extension], flags: RevocationFlags, isAsked: Bool)] = [
            ([], [.ocsp, .lists], false), ([try TestSources.lists([Self.list])], [.ocsp, .lists], true),
            ([try TestSources.lists([Self.list])], [.ocsp], false),
            ([try TestSources.access([Self.responder])], [.ocsp], true),
            // The certificate names a list that cannot be fetched here.
            ([try TestSources.lists(["ldap://directory/cn=x"])], [.lists], true),
        ]
        for (index, row) in rows.enumerated() {
            let chain = try TestChain(between: .authority("Between").with { $0.others = row.others })
            let defects = chain.defects {
                $0.question.policies.append(
                    TrustPolicy(.revocation, revocation: row.flags.union(.requirePositiveResponse)))
            }
            #expect(defects == [[.revocationUnknown], row.isAsked ? [.revocationUnknown] : [], []], "\(index)")
        }
    }

    // MARK: Issuers

    private func message(of certificates: [TestCertificate]) throws -> [UInt8] {
        let folder = try OpenSSLFolder()
        try folder.write("all", certificates.map(\.pem).joined(separator: "\n"))
        try folder.run("crl2pkcs7", "-nocrl", "-certfile", "@all", "-outform", "DER", "-out", "@p7c")
        return try folder.bytes("p7c")
    }

    @Test func aFetchedIssuerClosesTheChain() throws {
        let chain = try TestChain()
        let other = try TestCertificate(.authority("Other"))
        let message = try message(of: [other, chain.between])
        // The same message with an indefinite length; its original head has four bytes.
        let endless = [0x30, 0x80] + message.dropFirst(4) + [0, 0]
        for file in [chain.between.der, message, endless] {
            let judgement = chain.judgement {
                $0.question.certificates = [chain.leaf.der]
                $0.fetched.issuers = [[0x30], file]
            }
            #expect(judgement.verdict.chain.map(\.certificate) == [chain.leaf.der, chain.between.der, chain.root.der])
            #expect(judgement.verdict.isTrusted && judgement.needs.isEmpty)
        }
        for length in stride(from: 0, to: message.count, by: 7) {
            #expect(FetchedIssuers.certificates(in: [Array(message.prefix(length))]).count == 1)
        }
    }

    @Test func aFetchedRootIsNoAnchor() throws {
        let chain = try TestChain()
        for isDistributed in [true, false] {
            let judgement = chain.judgement {
                $0.question.anchors = []
                $0.question.hasOwnAnchorsOnly = !isDistributed
                $0.question.certificates = [chain.leaf.der]
                $0.fetched.issuers = [chain.between.der, chain.root.der]
            }
            #expect(judgement.verdict.chain.map(\.defects) == [[], [], [.notTrusted]] && judgement.needs.isEmpty)
        }
        // A fetched anchor is still an anchor.
        #expect(chain.defects { $0.fetched.issuers = [chain.root.der] } == Self.good)
    }

    @Test func aFetchedIssuerIsHeldToTheSame() throws {
        // The issuer has the right name and another key, so another one is asked for.
        let chain = try TestChain(
            leaf: Wish().with { $0.others = [try TestSources.access(issuers: ["http://certs.example.com/x"])] })
        let other = try TestCertificate(.authority("Between"), by: chain.root)
        let judgement = chain.judgement {
            $0.question.certificates = [chain.leaf.der]
            $0.fetched.issuers = [other.der]
        }
        #expect(judgement.verdict.chain.map(\.defects) == [[.noIssuer]] && judgement.needs.count == 1)
        let user = try TestChain(between: Wish(name: "User"))
        let defects = user.defects {
            $0.question.certificates = [user.leaf.der]
            $0.fetched.issuers = [user.between.der]
        }
        #expect(defects[1].contains(.notAnAuthority))
    }

    @Test func issuersOfEachOtherEnd() throws {
        let (one, two) = (
            Certificate.PrivateKey(P256.Signing.PrivateKey()), Certificate.PrivateKey(P256.Signing.PrivateKey())
        )
        func wish(_ name: String, _ key: Certificate.PrivateKey) throws -> Wish {
            try .authority(name).with {
                $0.key = key
                $0.others = [try TestSources.access(issuers: ["http://certs.example.com/\(name)"])]
            }
        }
        let first = try TestCertificate(try wish("One", one))
        let second = try TestCertificate(try wish("Two", two))
        let firstBySecond = try TestCertificate(try wish("One", one), by: second)
        let secondByFirst = try TestCertificate(try wish("Two", two), by: first)
        let leaf = try TestCertificate(Wish(), by: first)
        var question = TrustQuestion([leaf.der], policies: [TrustPolicy(.basic)])
        question.hasOwnAnchorsOnly = true
        question.allowsFetching = true
        var trustCase = TrustCase(question, now: TestCertificate.now)
        trustCase.fetched.issuers = [firstBySecond.der, secondByFirst.der]
        let judgement = TrustEvaluator.judge(trustCase)
        #expect(judgement.verdict.chain.count == 3)
        // Only the last certificate names a server that has not been asked yet.
        #expect(judgement.needs.map { $0.sources.map(\.url) } == [["http://certs.example.com/Two"]])
    }

    @Test func ofHundredsTheFirstAreRead() throws {
        let chain = try TestChain()
        let others = try (0..<FetchedIssuers.maximumCertificates).map { try TestCertificate(.authority("\($0)")) }
        for (others, isTrusted) in [(others, false), (Array(others.dropLast()), true)] {
            let message = try message(of: others + [chain.between])
            let verdict = chain.verdict {
                $0.question.certificates = [chain.leaf.der]
                $0.fetched.issuers = [message]
            }
            #expect(verdict.isTrusted == isTrusted)
        }
    }

    /// An attacker on the network could provoke any other reason.
    @Test func whatCannotBeReadIsNotToldOf() throws {
        let folder = try OpenSSLFolder()
        try folder.run(
            "req", "-x509", "-newkey", "rsa:1024", "-nodes", "-keyout", "@key", "-subj", "/CN=Short", "-days", "9",
            "-outform", "DER", "-out", "@short")
        let short = try folder.bytes("short")
        let name = DistinguishedName([
            RelativeDistinguishedName(.init(type: .RDNAttributeType.commonName, utf8String: "Short"))
        ])
        let issuer = try TestCertificate(.authority("Short").with { $0.subject = name })
        let leaf = try TestCertificate(Wish(), by: issuer)
        func defects(given: [[UInt8]], fetched: [[UInt8]]) -> [[TrustDefect]] {
            var question = TrustQuestion([leaf.der] + given, policies: [TrustPolicy(.basic)])
            question.hasOwnAnchorsOnly = true
            var trustCase = TrustCase(question, now: TestCertificate.now)
            trustCase.fetched.issuers = fetched
            return TrustEvaluator.evaluate(trustCase).chain.map(\.defects)
        }
        #expect(defects(given: [short], fetched: []) == [[.noIssuer], [.weakKey]])
        #expect(defects(given: [], fetched: [short]) == [[.noIssuer]])
    }
}
