import ChatelaineModel
import Crypto
import Foundation
import Testing

@testable import CodeSignatures
@testable import SignatureFormat

/// The profile of a team's anchor limits the claims of its signers.
struct SigningProfileTests {
    private let team: TestTeam

    init() throws { team = try TestTeam() }

    private var signerDigest: JSONValue { .string(Bytes32(hashing: team.signer.der)?.description ?? "") }

    /// A profile that covers the standard claims.
    private func profile(_ change: (inout SignatureRecipe) -> Void = { _ in }) throws -> JSONValue {
        var recipe = SignatureRecipe(chain: [team.root.der], key: team.root.signing)
        recipe.type = "profile+jws"
        recipe.claims = JSONObject(members: [
            .init(name: "team", value: .string("TEAM123456")), .init(name: "leaf", value: .array([signerDigest])),
            .init(name: "identifiers", value: .array([.string("TEAM123456.com.example.*")])),
            .init(name: "groups", value: .array([.string("TEAM123456.com.*"), .string("TEAM123456.second")])),
            .init(name: "application-groups", value: .array([.string("group.com.example")])),
            .init(name: "nbf", value: .integer(TestTeam.now - 50)),
            .init(name: "exp", value: .integer(TestTeam.now + 50)),
        ])
        change(&recipe)
        return .string(String(decoding: try recipe.bytes(), as: UTF8.self))
    }

    private func defect(_ change: (inout SignatureRecipe) -> Void) throws -> SignatureDefect? {
        try team.verify(team.recipe.with("profile", try profile(change))).defect
    }

    private func names(_ names: String...) -> JSONValue { .array(names.map { .string($0) }) }

    @Test func whatItCoversCounts() throws {
        let claims = try #require(try team.verify(team.recipe.with("profile", try profile())).claims)
        #expect(claims.validFrom == TestTeam.now - 50 && claims.validUntil == TestTeam.now + 49)
    }

    @Test func aTeamMayAskForIt() throws {
        #expect(try team.verify(team.recipe, requiresProfiles: true).defect == .outsideProfile)
        #expect(try team.verify(team.recipe.with("profile", try profile()), requiresProfiles: true).claims != nil)
    }

    @Test func whatItDoesNotNameIsOutside() throws {
        for (name, wrong, right) in [
            ("identifiers", names("TEAM123456.com.example"), names("TEAM123456.com.example.one")),
            ("identifiers", names(), names("TEAM123456.*")),
            ("groups", names("TEAM123456.second"), names("TEAM123456.*")),
            (
                "groups", names("TEAM123456.com.example.shared.*"),
                names("TEAM123456.com.example.shared", "TEAM123456.second")
            ),
            ("application-groups", names("group.com"), names("other", "group.com.example")),
            ("leaf", names(ExecutableDigest.test.description), .array([signerDigest])),
        ] {
            #expect(try defect { $0 = $0.with(name, wrong) } == .outsideProfile, "\(name)")
            #expect(try defect { $0 = $0.with(name, right) } == nil, "\(name)")
        }
    }

    @Test func wildcardsStandAtTheEnd() throws {
        for pattern in [
            "*", "TEAM123456*", "TEAM*", "TEAM123456.*.one", "*.one", "TEAM123456.com*", "OTHER12345.*", "group.com.*",
            "",
        ] {
            #expect(
                try defect { $0 = $0.with("groups", names(pattern, "TEAM123456.*")) } == .outsideProfile, "\(pattern)")
        }
    }

    @Test func itIsByTheAnchor() throws {
        #expect(try defect { $0.key = .es256(P256.Signing.PrivateKey()) } == .outsideProfile)
        let signer = team.signer
        #expect(
            try defect {
                $0.chain = [signer.der]
                $0.key = signer.signing
            } == .outsideProfile)
        #expect(try defect { $0.chain.append(signer.der) } == .outsideProfile)
        #expect(try defect { $0.type = "codesig+jws" } == .outsideProfile)
        #expect(try defect { $0 = $0.with("team", .string("OTHER12345")) } == .outsideProfile)
        #expect(try defect { $0 = $0.with("else", .null) } == .outsideProfile)
        #expect(try team.verify(team.recipe.with("profile", .string("a.b.c"))).defect == .outsideProfile)
        #expect(try team.verify(team.recipe.with("profile", .integer(1))).defect == .badClaim)
    }

    @Test func itHasDatesOfItsOwn() throws {
        let recipe = team.recipe.with("profile", try profile())
        #expect(try team.verify(recipe, now: TestTeam.now - 51).defect == .notYetValid)
        #expect(try team.verify(recipe, now: TestTeam.now + 50).defect == .expired)
    }
}
