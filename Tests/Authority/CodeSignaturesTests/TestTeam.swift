import ChatelaineModel
import Crypto
import Foundation
import Testing
import TrustProtocol
import X509

@testable import CodeSignatures
@testable import SignatureFormat

/// A team with an anchor and a signer, and signatures of its programs.
struct TestTeam {
    // swift-format-ignore: NeverForceUnwrap
    static let team = TeamIdentifier("TEAM123456")!
    static let now: Int64 = 1_800_000_000

    var root: TestCertificate
    var signer: TestCertificate

    init(
        root: TestCertificate.Wish = .authority, signer: TestCertificate.Wish = .init()
    ) throws {
        self.root = try TestCertificate(root)
        self.signer = try TestCertificate(signer, by: self.root)
    }

    func anchor(requiresProfiles: Bool = false) throws -> TeamAnchor {
        let key = try #require(root.certificate.keyDigest)
        return TeamAnchor(
            owner: TeamOwner(team: Self.team, anchorKey: key), certificate: root.der, requiresProfiles: requiresProfiles
        )
    }

    /// A valid signature.
    var recipe: SignatureRecipe {
        SignatureRecipe(chain: [signer.der], key: signer.signing)
    }

    func verify(
        _ recipe: SignatureRecipe, digest: ExecutableDigest = .test, now: Int64 = now, requiresProfiles: Bool = false
    ) throws -> SignatureVerdict {
        try verify(recipe.bytes(), digest: digest, now: now, requiresProfiles: requiresProfiles)
    }

    func verify(
        _ bytes: [UInt8], digest: ExecutableDigest = .test, now: Int64 = now, requiresProfiles: Bool = false
    ) throws -> SignatureVerdict {
        SignatureVerifier().verify(
            SignatureQuestion(
                signature: bytes, digest: digest, anchor: try anchor(requiresProfiles: requiresProfiles), now: now))
    }

    func defect(_ recipe: SignatureRecipe) throws -> SignatureDefect? { try verify(recipe).defect }
}

extension ExecutableDigest {
    // swift-format-ignore: NeverForceUnwrap
    static let test = ExecutableDigest(Array(SHA256.hash(data: Array("program".utf8))))!
    // swift-format-ignore: NeverForceUnwrap
    static let other = ExecutableDigest(Array(SHA256.hash(data: Array("another program".utf8))))!
}

extension SignatureVerdict {
    var defect: SignatureDefect? {
        guard case .defect(let defect, let detail) = self else { return nil }
        return detail.utf8.count <= SignatureLimits.maximumDetailBytes ? defect : nil
    }

    var claims: SignedClaims? {
        guard case .claims(let claims) = self else { return nil }
        return claims
    }
}

/// A JWS to a test's wishes, valid or not.
struct SignatureRecipe {
    var chain: [[UInt8]]
    var key: SigningIdentity.Key
    var algorithm: String?
    var type = "codesig+jws"
    var claims = SignatureRecipe.standardClaims
    /// Text that follows the other members of the header.
    var headerAddition = ""
    /// Replaces the claims.
    var payload: String?
    /// Changes the finished text.
    var change: ([UInt8]) -> [UInt8] = { $0 }

    init(chain: [[UInt8]], key: SigningIdentity.Key) {
        self.chain = chain
        self.key = key
    }

    static let standardClaims = JSONObject(members: [
        .init(name: "sub", value: .string("TEAM123456.com.example.one")),
        .init(name: "team", value: .string("TEAM123456")),
        .init(name: "sha256", value: .string(ExecutableDigest.test.description)),
        .init(name: "nbf", value: .integer(TestTeam.now - 500)),
        .init(name: "exp", value: .integer(TestTeam.now + 500)),
        .init(name: "iat", value: .integer(TestTeam.now)),
        .init(
            name: "entitlements",
            value: .object(
                JSONObject(members: [
                    .init(name: "application-identifier", value: .string("TEAM123456.com.example.one")),
                    .init(
                        name: "keychain-access-groups",
                        value: .array([.string("TEAM123456.com.example.shared"), .string("TEAM123456.second")])),
                    .init(
                        name: "com.apple.security.application-groups", value: .array([.string("group.com.example")])),
                    .init(name: "com.example.flag", value: .bool(true)),
                ]))),
    ])

    /// The recipe with another value of a claim, or without the claim.
    func with(_ name: String, _ value: JSONValue?) -> Self {
        var other = self
        other.claims.members.removeAll { $0.name == name }
        if let value { other.claims.members.append(.init(name: name, value: value)) }
        return other
    }

    func with(_ change: (inout Self) -> Void) -> Self {
        var other = self
        change(&other)
        return other
    }

    /// The recipe with another entitlement, or without it.
    func entitled(_ name: String, _ value: JSONValue?) -> Self {
        var entitlements = claims["entitlements"]?.value.object ?? JSONObject()
        entitlements.members.removeAll { $0.name == name }
        if let value { entitlements.members.append(.init(name: name, value: value)) }
        return with("entitlements", .object(entitlements))
    }

    var header: String {
        let standard =
            switch key {
            case .es256: "ES256"
            case .edDSA: "EdDSA"
            }
        let certificates = chain.map { "\"" + String(decoding: Base64.standard.encode($0), as: UTF8.self) + "\"" }
        return
            "{\"alg\":\"\(algorithm ?? standard)\",\"typ\":\"\(type)\",\"x5c\":[\(certificates.joined(separator: ","))]"
            + headerAddition + "}"
    }

    func bytes() throws -> [UInt8] { try bytes(header: header) }

    func bytes(header: String) throws -> [UInt8] {
        let payload = payload.map { Array($0.utf8) } ?? JSONValue.object(claims).encoded
        let signed = Base64.url.encode(Array(header.utf8)) + Array(".".utf8) + Base64.url.encode(payload)
        let signature =
            switch key {
            case .es256(let key): try key.signature(for: signed).rawRepresentation
            case .edDSA(let key): try key.signature(for: signed)
            }
        return change(signed + Array(".".utf8) + Base64.url.encode(Array(signature)))
    }
}
