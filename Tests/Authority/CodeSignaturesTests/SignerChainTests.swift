import ChatelaineModel
import Crypto
import Foundation
import Testing
import X509

@testable import CodeSignatures
@testable import SignatureFormat

/// Only certain certificates may sign programs of a team.
struct SignerChainTests {
    typealias Wish = TestCertificate.Wish

    private func defect(signer wish: Wish) throws -> SignatureDefect? {
        let team = try TestTeam(signer: wish)
        return try team.verify(team.recipe).defect
    }

    @Test func theUnitIsTheTeam() throws {
        #expect(try defect(signer: Wish()) == nil)
        for units in [[], ["OTHER12345"], ["TEAM123456", "OTHER12345"], ["TEAM123456", "TEAM123456"], ["team123456"]] {
            #expect(try defect(signer: Wish(units: units)) == .wrongSigner, "\(units)")
        }
    }

    @Test func theSignerSignsCode() throws {
        #expect(try defect(signer: Wish(purposes: [.codeSigning, .emailProtection])) == nil)
        #expect(try defect(signer: Wish(isPurposeCritical: true)) == nil)
        #expect(try defect(signer: Wish(usage: KeyUsage(digitalSignature: true, nonRepudiation: true))) == nil)
        for purposes: [ExtendedKeyUsage.Usage]? in [nil, [.serverAuth], [.any]] {
            #expect(try defect(signer: Wish(purposes: purposes)) == .wrongSigner)
        }
        for usage in [nil, KeyUsage(keyEncipherment: true), KeyUsage(nonRepudiation: true)] {
            #expect(try defect(signer: Wish(usage: usage)) == .wrongSigner)
        }
    }

    @Test func anAuthorityIsNoSigner() throws {
        let usage = KeyUsage(digitalSignature: true, keyCertSign: true)
        #expect(try defect(signer: Wish(isAuthority: true, usage: usage)) == .wrongSigner)
        let team = try TestTeam()
        let recipe = SignatureRecipe(chain: [team.root.der], key: team.root.signing)
        #expect(try team.verify(recipe).defect == .wrongSigner)
    }

    @Test func keysAreOfTheAlgorithm() throws {
        #expect(try defect(signer: Wish(key: .edDSA(Curve25519.Signing.PrivateKey()))) == nil)
        let team = try TestTeam(signer: Wish(key: .edDSA(Curve25519.Signing.PrivateKey())))
        #expect(try team.verify(team.recipe.with { $0.algorithm = "ES256" }).defect == .unsupportedAlgorithm)
        // The certificate has a P-384 key, which does not fit ES256.
        let other = Certificate.PrivateKey(P384.Signing.PrivateKey())
        #expect(try defect(signer: Wish(otherKey: other)) == .unsupportedAlgorithm)
    }

    /// A new certificate of the same key replaces an anchor (behaviour/callers.md, 24), and signatures carry the old.
    @Test func aRenewedAnchorKeepsWhatIsSigned() throws {
        let team = try TestTeam()
        var wish = Wish.authority
        wish.key = team.root.signing
        var renewed = team
        renewed.root = try TestCertificate(wish)
        #expect(renewed.root.der != team.root.der)
        let chains = [[], [team.root.der], [renewed.root.der]]
        for chain in chains {
            let recipe = team.recipe.with { $0.chain = [team.signer.der] + chain }
            #expect(try renewed.verify(recipe).claims != nil)
        }
        let both = team.recipe.with { $0.chain = [team.signer.der, team.root.der, renewed.root.der] }
        #expect(try renewed.verify(both).defect == .badChain)
    }

    @Test func aRootOfTheSameNameIsAnotherOne() throws {
        let (team, stranger) = (try TestTeam(), try TestTeam())
        #expect(try team.verify(stranger.recipe).defect == .badChain)
        let chain = [stranger.signer.der, stranger.root.der]
        #expect(try team.verify(stranger.recipe.with { $0.chain = chain }).defect == .badChain)
        let mixed = [stranger.signer.der, team.root.der]
        #expect(try team.verify(stranger.recipe.with { $0.chain = mixed }).defect == .badChain)
    }

    // MARK: Certificates between

    private struct Path {
        let team: TestTeam
        let between: TestCertificate
        let signer: TestCertificate

        init(_ wish: Wish = Path.wish, root: Wish = .authority, signer: Wish = Wish()) throws {
            team = try TestTeam(root: root)
            between = try TestCertificate(wish, by: team.root)
            self.signer = try TestCertificate(signer, by: between)
        }

        static var wish: Wish {
            var wish = Wish.authority
            wish.name = "Between"
            return wish
        }

        func defect(_ chain: [[UInt8]]) throws -> SignatureDefect? {
            try team.verify(SignatureRecipe(chain: chain, key: signer.signing)).defect
        }

        func defect(now: Int64 = TestTeam.now) throws -> SignatureDefect? {
            try team.verify(SignatureRecipe(chain: [signer.der, between.der], key: signer.signing), now: now).defect
        }
    }

    @Test func aPathMayHaveOneBetween() throws {
        let path = try Path()
        #expect(try path.defect() == nil)
        #expect(try path.defect([path.signer.der, path.between.der, path.team.root.der]) == nil)
        #expect(try path.defect([path.signer.der]) == .badChain)
        // The chain has another order, a repeated certificate, or an unnecessary one.
        #expect(try path.defect([path.signer.der, path.team.root.der, path.between.der]) == .badChain)
        #expect(try path.defect([path.signer.der, path.between.der, path.between.der]) == .badChain)
        let needless = try TestCertificate(.authority).der
        #expect(try path.defect([path.signer.der, path.between.der, needless]) == .badChain)
    }

    @Test func thoseBetweenMayIssue() throws {
        var wish = Path.wish
        wish.isAuthority = false
        #expect(try Path(wish).defect() == .badChain)
        wish = Path.wish
        wish.usage = KeyUsage(digitalSignature: true)
        #expect(try Path(wish).defect() == .badChain)
        wish.usage = nil
        #expect(try Path(wish).defect() == nil)
        wish.purposes = [.serverAuth]
        #expect(try Path(wish).defect() == .badChain)
        wish.purposes = [.codeSigning]
        #expect(try Path(wish).defect() == nil)
    }

    @Test func aPathIsShort() throws {
        let team = try TestTeam()
        var issuer = team.root
        var chain: [[UInt8]] = []
        for number in 0..<5 {
            let signer = try TestCertificate(Wish(), by: issuer)
            let verdict = try team.verify(SignatureRecipe(chain: [signer.der] + chain, key: signer.signing))
            // A chain has at most a signer, an anchor and three certificates between.
            #expect(verdict.defect == (number <= 3 ? nil : .tooLarge), "\(number)")
            var wish = Path.wish
            wish.name = "Between \(number)"
            issuer = try TestCertificate(wish, by: issuer)
            chain.insert(issuer.der, at: 0)
        }
    }

    // MARK: Dates

    @Test(arguments: ["root", "between", "signer"])
    func eachOneIsValid(_ place: String) throws {
        for (from, until, defect): (Int64, Int64, SignatureDefect?) in [
            (-100, 100, nil), (-100, 0, nil), (0, 100, nil), (-100, -1, .expired), (1, 100, .notYetValid),
        ] {
            func limited(_ wish: Wish, _ name: String) -> Wish {
                guard name == place else { return wish }
                var limited = wish
                (limited.from, limited.until) = (TestTeam.now + from, TestTeam.now + until)
                return limited
            }
            let path = try Path(
                limited(Path.wish, "between"), root: limited(.authority, "root"), signer: limited(Wish(), "signer"))
            #expect(try path.defect() == defect, "\(place) \(from) \(until)")
        }
    }

    @Test func claimsEndWithTheFirstOfThem() throws {
        let team = try TestTeam(signer: Wish(from: TestTeam.now - 10, until: TestTeam.now + 20))
        let claims = try #require(try team.verify(team.recipe).claims)
        #expect(claims.validFrom == TestTeam.now - 10 && claims.validUntil == TestTeam.now + 20)
    }
}
