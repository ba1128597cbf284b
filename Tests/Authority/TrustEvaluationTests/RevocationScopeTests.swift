import ChatelaineModel
import Testing
import TrustProtocol
import X509

@testable import TrustEvaluation

/// A list covers certain certificates only (RFC 5280, 5.2.4 and 5.2.5).
struct RevocationScopeTests {
    typealias Wish = TestCertificate.Wish

    private static let (here, there) = ("http://lists.example.com/1.crl", "http://lists.example.com/2.crl")
    private let authority: OpenSSLAuthority

    /// The first certificate names a distribution point, and the second one names none.
    init() throws {
        authority = try OpenSSLAuthority(
            leaf: Wish().with { $0.others = [try TestSources.lists(["ldap://directory/cn=x", Self.here])] })
    }

    /// Whether a list of this scope covers the first certificate or its issuer.
    private func counts(_ extensions: String, by issuer: String = "between") throws -> Bool {
        let index = issuer == "between" ? 0 : 1
        try authority.index(index == 0 ? authority.chain.leaf : authority.chain.between, isRevoked: true)
        let revoked = authority.defects(lists: [try authority.list(by: issuer, extensions: extensions)])
        try authority.index()
        let good = authority.chain.verdict {
            $0.question.revocationLists = [(try? authority.list(by: issuer, extensions: extensions)) ?? []]
        }
        // A list that can revoke the certificate can also clear it.
        if index == 0 { #expect((good.goodUntil != nil) == (revoked[0] == [.revoked]), "\(extensions)") }
        return revoked[index] == [.revoked]
    }

    private static func point(_ lines: String...) -> String {
        "issuingDistributionPoint=critical,@point\n[point]\n" + lines.joined(separator: "\n")
    }

    @Test func aListIsOfThoseThatNameIt() throws {
        #expect(try counts(""))
        #expect(try counts("2.5.29.35=DER:3000"))
        #expect(try counts(Self.point("fullname=URI:\(Self.here)")))
        #expect(try counts(Self.point("fullname=URI:\(Self.there),URI:\(Self.here)")))
        #expect(try !counts(Self.point("fullname=URI:\(Self.there)")))
        // The extension need not be critical.
        let soft = Self.point("fullname=URI:\(Self.there)").replacing("critical,", with: "")
        #expect(try !counts(soft))
        // The issuer names no point.
        #expect(try !counts(Self.point("fullname=URI:\(Self.here)"), by: "root"))
    }

    @Test func aListIsOfUsersOrOfAuthorities() throws {
        let (users, authorities) = (Self.point("onlyuser=TRUE"), Self.point("onlyCA=TRUE"))
        #expect(try counts(users))
        #expect(try !counts(users, by: "root"))
        #expect(try !counts(authorities))
        #expect(try counts(authorities, by: "root"))
        #expect(try counts(Self.point("fullname=URI:\(Self.here)", "onlyuser=TRUE")))
        #expect(try !counts(Self.point("fullname=URI:\(Self.here)", "onlyCA=TRUE")))
    }

    @Test func otherListsAreNone() throws {
        #expect(try !counts(Self.point("indirectCRL=TRUE")))
        #expect(try !counts(Self.point("onlyAA=TRUE")))
        #expect(try !counts(Self.point("onlysomereasons=keyCompromise")))
        #expect(try !counts(Self.point("fullname=URI:\(Self.here)", "onlysomereasons=keyCompromise")))
        #expect(try !counts(Self.point("relativename=relative") + "\n[relative]\nCN=x"))
        // A delta list does not count, whether its extension is critical or not.
        for critical in ["critical,", ""] { #expect(try !counts("2.5.29.27=\(critical)DER:020101")) }
        #expect(try !counts("1.3.6.1.4.1.99999.1=critical,DER:0500"))
        #expect(try counts("1.3.6.1.4.1.99999.1=DER:0500"))
    }
}
