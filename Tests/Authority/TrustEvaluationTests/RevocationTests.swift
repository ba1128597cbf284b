import ChatelaineModel
import Foundation
import Testing
import X509

@testable import TrustEvaluation

/// Lists and answers made by `openssl` decide about revoked certificates.
struct RevocationTests {
    typealias Wish = TestCertificate.Wish

    private let authority: OpenSSLAuthority
    private var chain: TestChain { authority.chain }

    init() throws { authority = try OpenSSLAuthority() }

    private static let good = OpenSSLAuthority.good
    private static let unknown: [[TrustDefect]] = [[.revocationUnknown], [], []]

    @Test func listsName() throws {
        try authority.index(chain.leaf, isRevoked: true)
        let revoked = try authority.list(by: "between")
        #expect(authority.defects(lists: [revoked]) == [[.revoked], [], []])
        // The list is another issuer's, or was changed.
        #expect(authority.defects(lists: [try authority.list(by: "root")]) == Self.good)
        var changed = revoked
        changed[changed.count - 1] ^= 1
        #expect(authority.defects(lists: [changed, [1, 2, 3]]) == Self.good)
        // A revoked certificate stays revoked, even if nobody has a later list.
        #expect(defects(lists: [revoked], days: 20) == [[.revoked], [], []])
        try authority.index(chain.between, isRevoked: true)
        #expect(authority.defects(lists: [try authority.list(by: "root")]) == [[], [.revoked], []])
    }

    @Test func aListWithoutItIsAnAnswer() throws {
        try authority.index()
        #expect(authority.defects(requires: true) == Self.unknown)
        let list = try authority.list(by: "between")
        #expect(authority.defects(lists: [list], requires: true) == Self.good)
        // An outdated list says nothing, and a list of today says nothing about yesterday.
        #expect(defects(lists: [list], requires: true, days: 20) == Self.unknown)
        #expect(defects(lists: [list], requires: true, days: -1) == Self.unknown)
    }

    /// The defects this many days later or earlier.
    private func defects(
        lists: [[UInt8]] = [], responses: [[UInt8]] = [], requires: Bool = false, days: Int64
    ) -> [[TrustDefect]] {
        authority.defects {
            $0.question.revocationLists = lists
            $0.question.responses = responses
            $0.now += days * TestCertificate.day
            if requires {
                $0.question.policies.append(TrustPolicy(.revocation, revocation: [.ocsp, .requirePositiveResponse]))
            }
        }
    }

    /// Servers report the present state, whatever date a program asks about.
    @Test func theMomentThatIsAskedAboutIsNotThatOfServers() throws {
        let day = TestCertificate.day
        try authority.index(chain.leaf)
        let (good, list) = (try authority.answer(), try authority.list())
        try authority.index(chain.leaf, isRevoked: true)
        let (revoked, revoking) = (try authority.answer(), try authority.list())
        for date in [chain.date - 4 * day, chain.date + 20 * day] {
            #expect(authority.defects(responses: [revoked], at: date) == [[.revoked], [], []])
            #expect(authority.defects(lists: [revoking], at: date) == [[.revoked], [], []])
            #expect(authority.defects(responses: [good], requires: true, at: date) == Self.good)
            #expect(authority.defects(lists: [list], requires: true, at: date) == Self.good)
        }
        // Evidence that came with the chain may be of that date.
        let defects = authority.defects {
            $0.question.date = chain.date
            $0.now += 20 * day
            $0.question.responses = [good]
            $0.question.policies.append(TrustPolicy(.revocation, revocation: [.ocsp, .requirePositiveResponse]))
        }
        #expect(defects == Self.good)
    }

    /// A responder's certificate is usually valid for days only, but its revocations stay.
    @Test func whatWasRevokedStaysSoWithoutItsSigner() throws {
        let day = TestCertificate.day
        let wish = Wish(name: "Responder").with {
            $0.purposes = [.ocspSigning]
            ($0.from, $0.until) = (chain.date - day, chain.date + day)
        }
        try authority.add("responder", try TestCertificate(wish, by: chain.between))
        try authority.add("late", try TestCertificate(wish.with { $0.until = chain.date - 10 }, by: chain.between))
        try authority.index(chain.leaf, isRevoked: true)
        let revoked = try authority.answer(by: "responder")
        #expect(defects(responses: [revoked], days: 20) == [[.revoked], [], []])
        #expect(defects(responses: [try authority.answer(by: "late")], days: 20) == Self.good)
    }

    @Test func answersSay() throws {
        try authority.index(chain.leaf)
        let good = try authority.answer()
        #expect(authority.defects(responses: [good], requires: true) == Self.good)
        let verdict = chain.verdict { $0.question.responses = [good] }
        #expect((verdict.goodUntil ?? 0) > chain.date)
        try authority.index(chain.leaf, isRevoked: true)
        let revoked = try authority.answer()
        #expect(authority.defects(responses: [revoked]) == [[.revoked], [], []])
        // An answer that says revoked counts.
        #expect(authority.defects(responses: [good, revoked]) == [[.revoked], [], []])
        #expect(defects(responses: [good], requires: true, days: 20) == Self.unknown)
        #expect(defects(responses: [good, revoked], days: 20) == [[.revoked], [], []])
        var changed = good
        // The changed byte is in the signed part: the responder and the time.
        changed[100] ^= 1
        #expect(authority.defects(responses: [changed, []], requires: true) == Self.unknown)
    }

    @Test func answersAreByWhoMayGiveThem() throws {
        try authority.index(chain.leaf)
        // The root issued the issuer, but cannot answer for the issuer's certificates.
        #expect(authority.defects(responses: [try authority.answer(by: "root")], requires: true) == Self.unknown)
        let (now, day) = (chain.date, TestCertificate.day)
        let usual = Wish(name: "Responder").with {
            $0.purposes = [.ocspSigning]
            ($0.from, $0.until) = (now - day, now + day)
        }
        let unknown = Certificate.Extension(oid: [1, 3, 6, 1, 4, 1, 99999, 1], critical: true, value: [5, 0])
        let stranger = try TestCertificate(.authority("Between"))
        let rows: [(name: String, wish: Wish, issuer: TestCertificate, isGood: Bool)] = [
            ("usual", usual, chain.between, true),
            ("purpose", usual.with { $0.purposes = [.serverAuth] }, chain.between, false),
            ("none", usual.with { $0.purposes = nil }, chain.between, false),
            ("expired", usual.with { $0.until = now - 10 }, chain.between, false),
            ("early", usual.with { $0.from = now + day / 2 }, chain.between, false),
            ("root", usual, chain.root, false), ("stranger", usual, stranger, false),
            ("usage", usual.with { $0.usage = KeyUsage(keyEncipherment: true) }, chain.between, false),
            ("critical", usual.with { $0.others = [unknown] }, chain.between, false),
        ]
        for row in rows {
            try authority.add(row.name, try TestCertificate(row.wish, by: row.issuer))
            let defects = authority.defects(responses: [try authority.answer(by: row.name)], requires: true)
            #expect(defects == (row.isGood ? Self.good : Self.unknown), "\(row.name)")
        }
    }

    /// A serial number alone does not identify a certificate.
    @Test func anAnswerIsAboutItsIssuersCertificate() throws {
        let other = try TestCertificate(
            .authority("Other").with { ($0.from, $0.until) = (chain.date - 1000, chain.date + 1_000_000) })
        let twin = try TestCertificate(
            Wish().with { $0.serial = chain.leaf.certificate.serialNumber }, by: other)
        try authority.add("other", other)
        try authority.add("twin", twin)
        try authority.index(twin, isRevoked: true)
        let foreign = try authority.answer(about: "twin", of: "other", by: "other")
        #expect(authority.defects(responses: [foreign]) == Self.good)
        // The right issuer signed the answer, but about the other issuer's certificate.
        let mixed = try authority.answer(about: "twin", of: "other", by: "between")
        #expect(authority.defects(responses: [mixed]) == Self.good)
    }

    /// An attacker on the network could replay the answer for years.
    @Test func anAnswerWithoutAnEndIsNone() throws {
        try authority.index(chain.leaf)
        let endless = try authority.answer(days: nil)
        #expect(authority.defects(responses: [endless], requires: true) == Self.unknown)
        #expect(
            authority.defects {
                $0.fetched.responses = [endless]
                $0.question.policies.append(TrustPolicy(.revocation, revocation: [.ocsp, .requirePositiveResponse]))
            } == Self.unknown)
    }
}
