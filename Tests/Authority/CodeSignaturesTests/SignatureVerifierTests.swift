import ChatelaineModel
import Crypto
import Foundation
import Testing
import TrustProtocol
import X509

@testable import CodeSignatures
@testable import SignatureFormat

/// A valid signature yields its claims, and every defect makes it count for nothing.
struct SignatureVerifierTests {
    private let team: TestTeam
    private var recipe: SignatureRecipe { team.recipe }

    init() throws { team = try TestTeam() }

    @Test func aGenuineSignatureGivesItsClaims() throws {
        let claims = try #require(try team.verify(recipe).claims)
        #expect(claims.owner == (try team.anchor().owner))
        #expect(claims.owner.team.text == "TEAM123456")
        #expect(claims.identifier == "TEAM123456.com.example.one")
        #expect(claims.keychainGroups == ["TEAM123456.com.example.shared", "TEAM123456.second"])
        #expect(claims.applicationGroups == ["group.com.example"])
        #expect(claims.validFrom == TestTeam.now - 500 && claims.validUntil == TestTeam.now + 499)
        let entitlements = try #require(try JSONScanner.scan(claims.entitlements).object)
        #expect(entitlements["com.example.flag"]?.value == .bool(true))
        #expect(claims.certificates == [team.signer.der, team.root.der].compactMap { Bytes32(hashing: $0) })
        #expect(claims.keys.count == 2 && claims.keys.last == claims.owner.anchorKey)
    }

    @Test func theAnchorMayBeInTheChain() throws {
        let chain = [team.signer.der, team.root.der]
        #expect(try team.verify(recipe.with { $0.chain = chain }).claims != nil)
    }

    @Test func withoutAnAnchorItIsAskedFor() throws {
        let question = SignatureQuestion(
            signature: try recipe.bytes(), digest: .test, anchor: nil, now: TestTeam.now)
        #expect(SignatureVerifier().verify(question) == .needsAnchor(TestTeam.team))
        // The error must not blame the anchor, since adding one would not help.
        let broken = SignatureQuestion(
            signature: try recipe.with("team", .string("team")).bytes(), digest: .test, anchor: nil, now: TestTeam.now)
        #expect(SignatureVerifier().verify(broken).defect == .badClaim)
    }

    @Test func anotherTeamsAnchorIsNoHelp() throws {
        var question = SignatureQuestion(
            signature: try recipe.bytes(), digest: .test, anchor: nil, now: TestTeam.now)
        let other = try #require(TeamIdentifier("OTHER12345"))
        question.anchor = TeamAnchor(
            owner: TeamOwner(team: other, anchorKey: try team.anchor().owner.anchorKey), certificate: team.root.der)
        #expect(SignatureVerifier().verify(question).defect == .unknownTeam)
        // The anchor names the same team, but another key than its certificate has.
        question.anchor = TeamAnchor(
            owner: TeamOwner(team: TestTeam.team, anchorKey: ExecutableDigest.other.value), certificate: team.root.der)
        #expect(SignatureVerifier().verify(question).defect == .badChain)
    }

    // MARK: Form

    @Test func itHasToBeThreePartsInBase64() throws {
        let bytes = try recipe.bytes()
        let dot = UInt8(ascii: ".")
        for wrong in [
            [], [dot], [dot, dot], Array("a.b.c".utf8), bytes + [dot], bytes + [UInt8(ascii: "=")], bytes + [0x0A],
            [0x20] + bytes, bytes.filter { $0 != dot }, [UInt8](repeating: dot, count: 1000),
        ] {
            #expect(try team.verify(wrong).defect == .malformed, "\(String(decoding: wrong.prefix(20), as: UTF8.self))")
        }
        // The last character of a part has unused bits, so another character there gives the same bytes.
        let parts = bytes.split(separator: dot)
        var last = Array(parts[2])
        last[last.count - 1] = UInt8(ascii: "_")
        let loose = Array([Array(parts[0]), Array(parts[1]), last].joined(separator: [dot]))
        #expect([.malformed, .wrongSignature].contains(try team.verify(loose).defect))
    }

    @Test func itMayNotBeLarge() throws {
        // The entitlements have ten mebibytes.
        let large = recipe.entitled("com.example.large", .string(String(repeating: "a", count: 10 << 20)))
        #expect(try team.defect(large) == .tooLarge)
        let least = recipe.entitled("com.example.large", .string(String(repeating: "a", count: 64 << 10)))
        #expect(try team.verify(least).claims != nil)
    }

    @Test func listsMayNotBeLong() throws {
        func groups(_ count: Int) -> JSONValue { .array((0..<count).map { .string("TEAM123456.group\($0)") }) }
        for name in [Entitlement.keychainGroups, Entitlement.applicationGroups] {
            #expect(try team.verify(recipe.entitled(name, groups(100))).claims != nil)
            #expect(try team.defect(recipe.entitled(name, groups(101))) == .tooLarge)
            #expect(try team.defect(recipe.entitled(name, groups(1000))) == .tooLarge)
        }
        let hundred = [[UInt8]](repeating: team.signer.der, count: 100)
        #expect(try team.defect(recipe.with { $0.chain = hundred }) == .tooLarge)
        let name = "TEAM123456." + String(repeating: "n", count: 244)
        #expect(try team.verify(recipe.entitled(Entitlement.keychainGroups, .array([.string(name)]))).claims != nil)
        #expect(
            try team.defect(recipe.entitled(Entitlement.keychainGroups, .array([.string(name + "n")]))) == .tooLarge)
    }

    // MARK: Header

    @Test func theHeaderHasNothingElse() throws {
        for addition in [
            ",\"kid\":\"1\"", ",\"jwk\":{}", ",\"jku\":\"https://example.com\"", ",\"x5u\":\"https://example.com\"",
            ",\"crit\":[\"b64\"]", ",\"b64\":false", ",\"x5t#S256\":\"a\"", ",\"Alg\":\"none\"",
        ] {
            #expect(try team.defect(recipe.with { $0.headerAddition = addition }) == .foreignHeader, "\(addition)")
        }
        #expect(try team.defect(recipe.with { $0.type = "JWT" }) == .foreignHeader)
        #expect(try team.defect(recipe.with { $0.type = "profile+jws" }) == .foreignHeader)
        #expect(try team.defect(recipe.with { $0.headerAddition = " " }) == nil)
    }

    @Test func aNameMayNotStandTwice() throws {
        #expect(try team.defect(recipe.with { $0.headerAddition = ",\"alg\":\"none\"" }) == .duplicateName)
        #expect(try team.defect(recipe.with { $0.headerAddition = ",\"\\u0061lg\":\"none\"" }) == .duplicateName)
        let payload = String(decoding: JSONValue.object(recipe.claims).encoded, as: UTF8.self)
        let twice = payload.dropLast() + ",\"s\\u0075b\":\"TEAM123456.com.example.two\"}"
        #expect(try team.defect(recipe.with { $0.payload = String(twice) }) == .duplicateName)
        let inside = payload.replacingOccurrences(
            of: "\"com.example.flag\":true", with: "\"com.example.flag\":true,\"com.example.flag\":false")
        #expect(try team.defect(recipe.with { $0.payload = inside }) == .duplicateName)
        #expect(try team.verify(recipe.with { $0.payload = payload }).claims != nil)
    }

    @Test func otherAlgorithmsAreNone() throws {
        for algorithm in ["none", "None", "HS256", "RS256", "ES384", "ES512", "es256", "EdDSA448", ""] {
            #expect(try team.defect(recipe.with { $0.algorithm = algorithm }) == .unsupportedAlgorithm, "\(algorithm)")
        }
        // The key does not fit the algorithm.
        #expect(try team.defect(recipe.with { $0.algorithm = "EdDSA" }) == .unsupportedAlgorithm)
        let unsigned = recipe.with {
            $0.algorithm = "none"
            $0.change = { Array($0[...($0.lastIndex(of: UInt8(ascii: ".")) ?? 0)]) }
        }
        #expect(try team.defect(unsigned) == .unsupportedAlgorithm)
    }

    /// The public key is used as the secret of a symmetric signature, which a library that trusts the header would
    /// accept.
    @Test func aPublicKeyIsNoSecret() throws {
        let header = recipe.header.replacingOccurrences(of: "ES256", with: "HS256")
        let payload = JSONValue.object(recipe.claims).encoded
        let signed = Base64.url.encode(Array(header.utf8)) + Array(".".utf8) + Base64.url.encode(payload)
        guard case .es256(let key) = team.signer.signing else { return }
        for secret in [Array(key.publicKey.pemRepresentation.utf8), Array(key.publicKey.x963Representation)] {
            let code = HMAC<SHA256>.authenticationCode(for: signed, using: SymmetricKey(data: secret))
            let bytes = signed + Array(".".utf8) + Base64.url.encode(Array(code))
            #expect(try team.verify(bytes).defect == .unsupportedAlgorithm)
        }
    }

    @Test func certificatesAreListed() throws {
        #expect(try team.defect(recipe.with { $0.chain = [] }) == .malformed)
        #expect(try team.defect(recipe.with { $0.chain = [[1, 2, 3]] }) == .malformed)
        let signer = team.signer.der
        #expect(try team.defect(recipe.with { $0.chain = [signer + [0]] }) == .malformed)
        let header = "{\"alg\":\"ES256\",\"typ\":\"codesig+jws\"}"
        #expect(try team.verify(recipe.bytes(header: header)).defect == .malformed)
        let text = recipe.header.replacingOccurrences(of: "[\"", with: "[[\"").replacingOccurrences(
            of: "\"]", with: "\"]]")
        #expect(try team.verify(recipe.bytes(header: text)).defect == .malformed)
    }

    // MARK: Claims

    @Test func everyClaimHasToBeThere() throws {
        for name in ["sub", "team", "sha256", "nbf", "exp", "iat", "entitlements"] {
            #expect(try team.defect(recipe.with(name, nil)) == .badClaim, "\(name)")
            #expect(try team.defect(recipe.with(name, .null)) == .badClaim, "\(name)")
        }
        #expect(try team.defect(recipe.with("aud", .string("x"))) == .badClaim)
        #expect(try team.defect(recipe.with { $0.payload = "[]" }) == .malformed)
    }

    @Test func claimsHaveOneForm() throws {
        for (name, value) in [
            ("team", "TEAM12345"), ("team", "team123456"), ("sha256", ExecutableDigest.test.description.uppercased()),
            ("sha256", "00"), ("nbf", "1"), ("exp", "2"),
        ] {
            #expect(try team.defect(recipe.with(name, .string(value))) == .badClaim, "\(name) \(value)")
        }
        for text in ["1e3", "1.5", "-1", "99999999999999999999", "1.0"] {
            #expect(try team.defect(recipe.with("iat", .number(text))) == (text == "-1" ? nil : .badClaim), "\(text)")
            #expect(try team.defect(recipe.with("nbf", .number(text))) == .badClaim, "\(text)")
        }
        #expect(try team.defect(recipe.with("exp", .integer(TestTeam.now - 500))) == .badClaim)
    }

    @Test func theApplicationIdentifierIsTheIdentifier() throws {
        #expect(try team.verify(recipe.entitled(Entitlement.application, nil)).claims != nil)
        let other = JSONValue.string("TEAM123456.com.example.two")
        #expect(try team.defect(recipe.entitled(Entitlement.application, other)) == .badClaim)
        #expect(try team.defect(recipe.entitled(Entitlement.application, .bool(true))) == .badClaim)
    }

    @Test func namesAreTheTeams() throws {
        for name in [
            "com.example.one", "OTHER12345.com.example.one", "TEAM123456", "TEAM123456.", "TEAM123456com", "*",
            "TEAM123456.*", "TEAM123456.com.*", "TEAM1234567.a",
        ] {
            let identified = recipe.with("sub", .string(name)).entitled(Entitlement.application, nil)
            #expect(try team.defect(identified) == .wrongPrefix, "\(name)")
            let grouped = recipe.entitled(Entitlement.keychainGroups, .array([.string(name)]))
            #expect(try team.defect(grouped) == .wrongPrefix, "\(name)")
        }
        for name in [
            "TEAM123456.\u{7}", "TEAM123456.a b", "TEAM123456.\u{E9}", "TEAM123456.a\u{202E}b", "TEAM123456.\0",
        ] {
            let grouped = recipe.entitled(Entitlement.keychainGroups, .array([.string(name)]))
            #expect(try team.defect(grouped) == .badClaim, "\(name)")
        }
        #expect(try team.defect(recipe.entitled(Entitlement.keychainGroups, .string("TEAM123456.a"))) == .badClaim)
        #expect(try team.defect(recipe.entitled(Entitlement.keychainGroups, .array([.integer(1)]))) == .badClaim)
    }

    @Test func applicationGroupsLookLikeNothingElse() throws {
        for name in ["team:TEAM123456:x", "path:/usr/bin/x", "dev:x", "pinned:x", "", "group.*"] {
            let grouped = recipe.entitled(Entitlement.applicationGroups, .array([.string(name)]))
            #expect(try team.defect(grouped) == .wrongPrefix, "\(name)")
        }
        for name in ["group.com.example", "anything", "OTHER12345.com.example", "teams:x"] {
            let grouped = recipe.entitled(Entitlement.applicationGroups, .array([.string(name)]))
            #expect(try team.verify(grouped).claims?.applicationGroups == [name], "\(name)")
        }
    }

    // MARK: What is signed

    @Test func whatWasChangedIsNotGenuine() throws {
        let bytes = try recipe.bytes()
        let other = try recipe.with("sub", .string("TEAM123456.com.example.two"))
            .entitled(Entitlement.application, nil).bytes()
        let dot = UInt8(ascii: ".")
        let (mine, theirs) = (bytes.split(separator: dot), other.split(separator: dot))
        #expect(try team.verify(other).claims != nil)
        #expect(
            try team.verify(Array([mine[0], theirs[1], mine[2]].joined(separator: [dot]))).defect == .wrongSignature)
        let swapped = Array([mine[0], mine[1], theirs[2]].joined(separator: [dot]))
        #expect(try team.verify(swapped).defect == .wrongSignature)
        #expect(try team.verify(Array(bytes[...(bytes.lastIndex(of: dot) ?? 0)])).defect == .wrongSignature)
    }

    @Test func anotherKeyIsNotTheSigners() throws {
        let stranger = SigningIdentity.Key.es256(P256.Signing.PrivateKey())
        #expect(try team.defect(recipe.with { $0.key = stranger }) == .wrongSignature)
    }

    @Test func itIsForOneFile() throws {
        #expect(try team.verify(recipe, digest: .other).defect == .wrongDigest)
        let moved = recipe.with("sha256", .string(ExecutableDigest.other.description))
        #expect(try team.verify(moved, digest: .other).claims != nil)
    }

    @Test func itIsValidFromHereToHere() throws {
        for (time, defect): (Int64, SignatureDefect?) in [
            (TestTeam.now - 501, .notYetValid), (TestTeam.now - 500, nil), (TestTeam.now + 499, nil),
            (TestTeam.now + 500, .expired),
        ] { #expect(try team.verify(recipe, now: time).defect == defect, "\(time)") }
    }
}
