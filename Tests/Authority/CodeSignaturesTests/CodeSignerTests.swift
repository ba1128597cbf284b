import ChatelaineMemory
import ChatelaineModel
import Crypto
import Foundation
import Testing
import TrustProtocol
import X509

@testable import CodeSignatures
@testable import SignatureFormat

/// Signatures and identities are made so that they verify.
struct CodeSignerTests {
    private let made: DevelopmentIdentity
    private let signer: CodeSigner
    private let anchor: TeamAnchor

    init() throws {
        made = try DevelopmentIdentity(team: TestTeam.team, commonName: "Ada", now: TestTeam.now)
        signer = CodeSigner(try SigningIdentity(files: [made.signer]))
        anchor = try SignatureVerifier().examine(
            AnchorQuestion(file: made.anchor, team: TestTeam.team, now: TestTeam.now)
        ).anchor
    }

    private func request(_ entitlements: String? = nil) -> CodeSigner.Request {
        CodeSigner.Request(
            digest: .test, identifier: "TEAM123456.com.example.one", entitlements: entitlements.map { Array($0.utf8) },
            now: TestTeam.now)
    }

    private func verdict(_ signature: [UInt8], now: Int64 = TestTeam.now) -> SignatureVerdict {
        SignatureVerifier().verify(
            SignatureQuestion(signature: signature, digest: .test, anchor: anchor, now: now))
    }

    private func claims(_ signature: [UInt8]) throws -> SignedClaims {
        let verdict = verdict(signature)
        return try #require(verdict.claims, "\(verdict)")
    }

    @Test func whatIsSignedCounts() throws {
        let claims = try claims(try signer.sign(request()))
        #expect(claims.identifier == "TEAM123456.com.example.one" && claims.groups.count == 1)
        #expect(claims.entitlements == Array("{}".utf8))
        #expect(claims.validUntil == TestTeam.now + 365 * 86_400 - 1)
    }

    @Test func itEndsWithTheCertificate() throws {
        var request = request()
        request.days = 10_000
        let claims = try claims(try signer.sign(request))
        #expect(claims.validUntil == TestTeam.now + 2 * 365 * 86_400)
    }

    @Test func entitlementsComeAsListsOfBothKinds() throws {
        let xml = """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0"><dict>
            <key>keychain-access-groups</key><array><string>$(AppIdentifierPrefix)shared</string></array>
            <key>com.apple.security.application-groups</key><array><string>group.a</string></array>
            <key>com.example.flag</key><true/><key>com.example.number</key><integer>7</integer>
            </dict></plist>
            """
        let json = """
            {"com.apple.security.application-groups":["group.a"],"com.example.flag":true,"com.example.number":7,
             "keychain-access-groups":["TEAM123456.shared"]}
            """
        let binary = try PropertyListSerialization.data(
            fromPropertyList: try PropertyListSerialization.propertyList(from: Data(xml.utf8), format: nil),
            format: .binary, options: 0)
        var binaryRequest = request()
        binaryRequest.entitlements = [UInt8](binary)
        let all = try [request(xml), request(json), binaryRequest].map { try claims(try signer.sign($0)) }
        for claims in all {
            #expect(claims.keychainGroups == ["TEAM123456.shared"])
            #expect(claims.applicationGroups == ["group.a"])
            #expect(claims.entitlements == all[0].entitlements)
        }
        #expect(
            String(decoding: all[0].entitlements, as: UTF8.self)
                == "{\"com.apple.security.application-groups\":[\"group.a\"],\"com.example.flag\":true,\"com.example.number\":7,"
                + "\"keychain-access-groups\":[\"TEAM123456.shared\"]}")
    }

    @Test(arguments: [
        "", "[]", "{\"a\":1,\"a\":2}", "nonsense", "{\"keychain-access-groups\":[\"OTHER12345.a\"]}",
        "{\"keychain-access-groups\":[\"TEAM123456.*\"]}", "{\"keychain-access-groups\":\"TEAM123456.a\"}",
        "{\"application-identifier\":\"TEAM123456.other\"}", "<plist version=\"1.0\"><array/></plist>",
        "<plist version=\"1.0\"><dict><key>a</key><date>2026-01-01T00:00:00Z</date></dict></plist>",
        "<plist version=\"1.0\"><dict><key>a</key><real>1.5</real></dict></plist>",
    ])
    func whatWouldNotCountIsNotSigned(_ entitlements: String) {
        #expect(throws: KeychainError.self) { try signer.sign(request(entitlements)) }
    }

    @Test func identifiersAreTheTeams() {
        for identifier in ["com.example.one", "OTHER12345.com.example.one", "TEAM123456.*", ""] {
            var request = request()
            request.identifier = identifier
            #expect(throws: KeychainError.self, "\(identifier)") { try signer.sign(request) }
        }
    }

    @Test func anIdentityMayComeInSeveralFiles() throws {
        let documents = try #require(String(data: made.signer.withUnsafeBytes { Data($0) }, encoding: .utf8))
            .components(separatedBy: "-----BEGIN ").dropFirst().map { SecretBytes(Array(("-----BEGIN " + $0).utf8)) }
        #expect(documents.count == 3)
        let several = CodeSigner(try SigningIdentity(files: documents.reversed()))
        #expect(try claims(try several.sign(request())).identifier == "TEAM123456.com.example.one")
        // The anchor is optional.
        let without = CodeSigner(try SigningIdentity(files: Array(documents.prefix(2))))
        #expect(try claims(try without.sign(request())).identifier == "TEAM123456.com.example.one")
        for wrong in [[], Array(documents.dropFirst()), Array(documents.prefix(1)), documents + documents] {
            #expect(throws: KeychainError.self) { try SigningIdentity(files: wrong) }
        }
    }

    @Test func otherKindsOfKeysAreRead() throws {
        for key in [SigningIdentity.Key.es256(P256.Signing.PrivateKey()), .edDSA(Curve25519.Signing.PrivateKey())] {
            let team = try TestTeam(signer: TestCertificate.Wish(key: key))
            let text =
                switch key {
                case .es256(let key): key.pemRepresentation
                case .edDSA(let key): try Certificate.PrivateKey(key).serializeAsPEM().pemString
                }
            let files = [text, team.signer.pem, team.root.pem].map { SecretBytes(Array($0.utf8)) }
            let signature = try CodeSigner(try SigningIdentity(files: files)).sign(request())
            #expect(try team.verify(signature).claims != nil)
        }
    }

    @Test func anchorsAreExamined() throws {
        let verifier = SignatureVerifier()
        func isAnchor(
            _ wish: TestCertificate.Wish, team: TeamIdentifier? = nil, change: ([UInt8]) -> [UInt8] = { $0 }
        ) throws -> Bool {
            let file = change(Array(try TestCertificate(wish).pem.utf8))
            return (try? verifier.examine(AnchorQuestion(file: file, team: team, now: TestTeam.now))) != nil
        }
        var wish = TestCertificate.Wish.authority
        #expect(try isAnchor(wish))
        #expect(try isAnchor(wish, team: TestTeam.team))
        #expect(try !isAnchor(wish, team: TeamIdentifier("OTHER12345")))
        #expect(try !isAnchor(wish) { $0 + $0 })
        #expect(try !isAnchor(wish) { Array($0.dropFirst(40)) })
        #expect(try !isAnchor(TestCertificate.Wish()))
        wish.units = ["nobody"]
        #expect(try !isAnchor(wish))
        wish = .authority
        wish.usage = KeyUsage(digitalSignature: true)
        #expect(try !isAnchor(wish))
        wish = .authority
        wish.until = TestTeam.now - 1
        #expect(try !isAnchor(wish))
        wish = .authority
        wish.from = TestTeam.now + 1
        #expect(try !isAnchor(wish))
        let certificate = try TestCertificate(.authority)
        let report = try verifier.examine(AnchorQuestion(file: certificate.der, team: nil, now: TestTeam.now))
        #expect(report.anchor.certificate == certificate.der)
        #expect(report.subject.contains("OU=TEAM123456") && report.validFrom == TestTeam.now - 1000)
        let large = AnchorQuestion(file: [UInt8](repeating: 0x30, count: 1 << 20), team: nil, now: TestTeam.now)
        #expect(throws: KeychainError.self) { try verifier.examine(large) }
    }

    @Test func aDevelopmentIdentityHoldsForTwoYears() throws {
        var request = request()
        request.days = 10_000
        let signature = try signer.sign(request)
        let years: Int64 = 2 * 365 * 86_400
        for (time, defect): (Int64, SignatureDefect?) in [
            (-1, .notYetValid), (0, nil), (years, nil), (years + 1, .expired),
        ] { #expect(verdict(signature, now: TestTeam.now + time).defect == defect, "\(time)") }
        #expect(throws: KeychainError.self) {
            try DevelopmentIdentity(team: TestTeam.team, commonName: "", now: TestTeam.now)
        }
    }
}
