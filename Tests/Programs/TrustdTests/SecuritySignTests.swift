import ChatelaineModel
import CodeSignatures
import Crypto
import Foundation
import TestSupport
import Testing
import TrustProtocol

/// Tests of the program behind `security app sign`, with files.
struct SecuritySignTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path }

    init() throws { folder = try TemporaryFolder() }

    private func run(_ words: String...) throws -> CommandRun {
        try CommandRun([BuildFolder.program("security-sign")] + words)
    }

    private func mode(_ name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")
        return try #require(attributes[.posixPermissions] as? Int)
    }

    private func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(path)/\(name)")))
    }

    private func sign(
        _ output: String = "program.codesig", identifier: String = "TEAM123456.one", profile: String = ""
    ) throws -> CommandRun {
        try run(
            "sign", "\(path)/program", "\(path)/\(output)", identifier, "30", "", profile,
            "\(path)/TEAM123456-signer.pem")
    }

    @Test func anIdentityIsMadeOnce() throws {
        let made = try run("create", "TEAM123456", "Ada", path)
        #expect(made.exitStatus == 0 && made.lines.count == 3, "\(made.errors)")
        let names = ["TEAM123456.pem", "TEAM123456-anchor-key.pem", "TEAM123456-signer.pem"]
        // A copy of the anchor keeps its mode, and all users' daemons read it; the other files are keys.
        #expect(try names.map(mode) == [0o644, 0o600, 0o600])
        let before = try names.map(bytes)
        let again = try run("create", "TEAM123456", "Ada", path)
        #expect(again.exitStatus == 1 && again.errors.contains("is there already"))
        #expect(try names.map(bytes) == before)
        for name in names.dropLast() { try FileManager.default.removeItem(atPath: "\(path)/\(name)") }
        #expect(try run("create", "TEAM123456", "Ada", path).exitStatus == 1)
        #expect(try bytes(names[2]) == before[2])
        #expect(!FileManager.default.fileExists(atPath: "\(path)/\(names[0])"))
        #expect(try run("create", "team", "Ada", path).exitStatus == 1)
        // A missing folder is made, but not its parents.
        #expect(try run("create", "OTHER12345", "Ada", path + "/new").exitStatus == 0)
        #expect(try mode("new") == 0o700)
        #expect(try run("create", "OTHER12345", "Ada", path + "/no/where").exitStatus == 1)
    }

    @Test func aProgramIsSigned() throws {
        try Data("program".utf8).write(to: URL(fileURLWithPath: path + "/program"))
        #expect(try run("create", "TEAM123456", "Ada", path).exitStatus == 0)
        let signed = try sign()
        #expect(signed.exitStatus == 0 && signed.lines == [path + "/program.codesig"], "\(signed.errors)")
        #expect(try mode("program.codesig") == 0o644)
        let now = Int64(Date().timeIntervalSince1970)
        let verifier = SignatureVerifier()
        let anchor = try verifier.examine(AnchorQuestion(file: try bytes("TEAM123456.pem"), team: nil, now: now)).anchor
        let digest = try #require(ExecutableDigest(Array(SHA256.hash(data: Data("program".utf8)))))
        func verdict() throws -> SignatureVerdict {
            verifier.verify(
                SignatureQuestion(signature: try bytes("program.codesig"), digest: digest, anchor: anchor, now: now + 1)
            )
        }
        guard case .claims(let claims) = try verdict() else {
            Issue.record("no claims: \(try verdict())")
            return
        }
        #expect(claims.identifier == "TEAM123456.one" && claims.validUntil - claims.validFrom < 31 * 86_400)
        // A new signature replaces the former, and no other file is left beside it.
        #expect(try sign(identifier: "TEAM123456.two").exitStatus == 0)
        guard case .claims(let later) = try verdict() else {
            Issue.record("no claims")
            return
        }
        #expect(later.identifier == "TEAM123456.two")
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).count == 5)
        // A failed signature leaves the former one.
        #expect(try sign(identifier: "OTHER12345.two").exitStatus == 1)
        guard case .claims = try verdict() else {
            Issue.record("the former one is gone")
            return
        }
        #expect(try sign("nowhere/program.codesig").exitStatus == 1)
    }

    /// The anchor signs a profile.
    ///
    /// The profile names signers by their files, and goes into the signatures that it covers.
    @Test func aProfileIsMadeAndUsed() throws {
        try Data("program".utf8).write(to: URL(fileURLWithPath: path + "/program"))
        #expect(try run("create", "TEAM123456", "Ada", path).exitStatus == 0)
        let anchor = ["identity=\(path)/TEAM123456-anchor-key.pem", "identity=\(path)/TEAM123456.pem"]
        let signer = "signer=\(path)/TEAM123456-signer.pem"
        let profile = "\(path)/one.profile"
        func make(_ words: [String]) throws -> CommandRun {
            try CommandRun([BuildFolder.program("security-sign"), "profile", "output=\(profile)"] + words)
        }
        #expect(try make(anchor + [signer, "identifier=TEAM123456.one"]).exitStatus == 0)
        #expect(try mode("one.profile") == 0o644)
        #expect(try sign(profile: profile).exitStatus == 0)
        let refused = try sign(identifier: "TEAM123456.two", profile: profile)
        #expect(refused.exitStatus == 1 && refused.errors.contains("its profile does not allow"), "\(refused.errors)")
        // Only the anchor signs a profile, and only with names of its team.
        #expect(try make(["identity=\(path)/TEAM123456-signer.pem", signer]).exitStatus == 1)
        #expect(try make(anchor + [signer, "group=OTHER12345.*"]).exitStatus == 1)
        #expect(try make(anchor + ["signer=\(path)/program"]).exitStatus == 1)
        for words in [anchor, [signer], anchor + [signer, "days=x"], anchor + [signer, "else=1"]] {
            #expect(try make(words).exitStatus == 2, "\(words)")
        }
    }

    @Test func nothingElseIsUnderstood() throws {
        #expect(try run().exitStatus == 2)
        #expect(try run("sign").exitStatus == 2)
        #expect(try run("create", "TEAM123456", "Ada").exitStatus == 2)
    }
}
