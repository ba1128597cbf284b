import ChatelaineModel
import Foundation
import SwiftASN1
import Testing
import X509

@testable import TrustEvaluation

/// `openssl verify` judges the same chains alike.
///
/// Where it judges otherwise, the table gives the reason.
struct SecondOpinionTests {
    typealias Wish = TestCertificate.Wish

    /// A root, a certificate between and a leaf, with the questions to us and to openssl.
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var root = Wish.authority("Root")
        var between = Wish.authority("Between")
        var leaf = Wish()
        var policy = TrustPolicy(.ssl, name: "leaf.example.com")
        var theirs = ["-purpose", "sslserver", "-verify_hostname", "leaf.example.com"]
        /// The level of `openssl verify`.
        ///
        /// Browsers ask for level 2. With nil, the lowest, it checks no digest and no size.
        var level: String?
        /// Why openssl has another opinion, nil where it agrees.
        var difference: String?

        func host(_ name: String) -> Case {
            var other = self
            (other.policy, other.theirs) = (
                TrustPolicy(.ssl, name: name), ["-purpose", "sslserver", "-verify_hostname", name]
            )
            return other
        }

        /// The case without a purpose, for the chain alone.
        var basic: Case {
            var other = self
            (other.policy, other.theirs) = (TrustPolicy(.basic), [])
            return other
        }

        func mail(_ address: String) -> Case {
            var other = self
            (other.policy, other.theirs) = (
                TrustPolicy(.smime, name: address), ["-purpose", "smimesign", "-verify_email", address]
            )
            return other
        }
    }

    @Test(arguments: cases + constraintCases + extensionCases + encodingCases)
    func opensslAgrees(about wish: Case) throws {
        let chain = try TestChain(root: wish.root, between: wish.between, leaf: wish.leaf)
        let theirs = try OpenSSLFolder().judgement(
            of: chain.leaf, through: [chain.between], to: [chain.root], level: wish.level ?? "0", wish.theirs)
        let ours = chain.defects(for: wish.policy)
        let isAgreed = ours.allSatisfy(\.isEmpty) == (theirs.exitStatus == 0)
        #expect(isAgreed == (wish.difference == nil), "\(ours) \(theirs.output) \(theirs.errors)")
    }

    /// swift-certificates does not read such a certificate, but its summary is reported.
    @Test func shortKeysAreRefused() throws {
        let folder = try OpenSSLFolder()
        try folder.run(
            "req", "-x509", "-newkey", "rsa:1024", "-nodes", "-keyout", "@key", "-out", "@der", "-outform", "DER",
            "-subj", "/CN=short.example.com", "-days", "30")
        let der = try folder.bytes("der")
        var question = TrustQuestion([der], policies: [TrustPolicy(.ssl)])
        question.anchors = [der]
        let verdict = TrustEvaluator.evaluate(.init(question, now: TestCertificate.now))
        #expect(verdict.result == .fatalTrustFailure && verdict.firstDefect?.defect == .weakKey)
        try folder.run("x509", "-inform", "DER", "-in", "@der", "-out", "@pem")
        for (level, isGood) in [("1", true), ("2", false)] {
            let theirs = try folder.run(
                "verify", "-auth_level", level, "-no-CAfile", "-no-CApath", "-no-CAstore", "-CAfile", "@pem", "@pem")
            // Browsers and our evaluation ask for level 2.
            #expect((theirs.exitStatus == 0) == isGood, "\(theirs.output) \(theirs.errors)")
        }
        #expect(verdict.chain.first?.summary == "short.example.com")
        let leaf = try TestCertificate(Wish())
        var below = TrustQuestion([leaf.der], policies: [TrustPolicy(.ssl)])
        below.anchors = [der]
        #expect(TrustEvaluator.evaluate(.init(below, now: TestCertificate.now)).firstDefect?.defect == .notTrusted)
    }

    @Test func theDistributionsFileIsRead() throws {
        let file = "/etc/ssl/certs/ca-certificates.crt"
        try #require(FileManager.default.fileExists(atPath: file), "ca-certificates is installed")
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
        let count = String(decoding: bytes, as: UTF8.self).components(separatedBy: "BEGIN CERTIFICATE").count - 1
        let roots = RootBundle.read(bytes)
        #expect(roots.count == count)
        #expect(roots.allSatisfy { !$0.subject.isEmpty && !$0.summary.isEmpty })
        #expect(RootBundle.read(Array("nothing".utf8)).isEmpty)
    }

    /// Companies add certificates made by any tool.
    ///
    /// Every valid one is read, and an invalid one affects no other.
    @Test func oneBlockTakesNoOtherWithIt() throws {
        let certificates = try (0..<4).map { try TestCertificate(.authority("Root \($0)")).der }
        func block(_ der: [UInt8], _ options: Data.Base64EncodingOptions, _ end: String = "\n") -> String {
            let text = Data(der).base64EncodedString(options: options.union(.endLineWithLineFeed))
            return "-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n"
                .replacingOccurrences(of: "\n", with: end)
        }
        let good = certificates.map { block($0, .lineLength64Characters) }
        for other in [
            block(certificates[1], .lineLength76Characters), block(certificates[1], []),
            block(certificates[1], .lineLength64Characters, " \n"),
            block(certificates[1], .lineLength64Characters, "\r\n"),
        ] {
            let read = RootBundle.read(Array((good[0] + other + good[2]).utf8))
            #expect(read.map(\.certificate) == Array(certificates[..<3]), "\(other)")
        }
        for none in [
            "-----BEGIN CERTIFICATE-----\n!!!\n-----END CERTIFICATE-----\n", block([1, 2, 3], .lineLength64Characters),
            "-----BEGIN CERTIFICATE-----\nMIIB\n", "-----END CERTIFICATE-----\n",
            "-----BEGIN X-----\nMIIB\n-----END X-----\n",
            block(certificates[3], []).replacingOccurrences(of: "CERTIFICATE", with: "TRUSTED CERTIFICATE"),
        ] {
            let read = RootBundle.read(Array((good[0] + none + good[2]).utf8))
            #expect(read.map(\.certificate) == [certificates[0], certificates[2]], "\(none)")
        }
    }

    /// A comment may contain any name that somebody gave a certificate.
    @Test func aBlockBeginsWithALine() throws {
        let der = try TestCertificate(Wish()).der
        let text = Data(der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        let block = "-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n"
        for comment in ["# -----BEGIN X-----\n", "# -----END CERTIFICATE-----\n", " -----BEGIN CERTIFICATE-----\n"] {
            #expect(RootBundle.read(Array((comment + block).utf8)).map(\.certificate) == [der], "\(comment)")
        }
        #expect(RootBundle.read(Array((block + "between\n" + block).utf8)).count == 1)
    }
}
