import ChatelaineModel
import Foundation
import SwiftASN1
import Testing
import X509

@testable import TrustEvaluation

/// What `openssl verify` says of the same chains. Where it says something else, the reason is in the table.
struct SecondOpinionTests {
    typealias Wish = TestCertificate.Wish

    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        var root = Wish.authority("Root")
        var between = Wish.authority("Between")
        var leaf = Wish()
        var host = "leaf.example.com"
        /// Why it is of another opinion; nil where it is not.
        var difference: String?
    }

    private static let key = try? Certificate.PrivateKey.rsa()
    private static let unknown = Certificate.Extension(
        oid: [1, 3, 6, 1, 4, 1, 99999, 1], critical: true, value: [5, 0])
    private static let (now, day) = (TestCertificate.now, TestCertificate.day)

    private static func limit(_ permitted: [GeneralName], _ excluded: [GeneralName] = []) -> NameConstraints {
        NameConstraints(permittedSubtrees: permitted, excludedSubtrees: excluded)
    }

    private static let cases: [Case] = [
        Case(testDescription: "good"),
        Case(testDescription: "expired", leaf: Wish().with { $0.until = now - day }),
        Case(testDescription: "not yet valid", leaf: Wish().with { $0.from = now + day }),
        Case(testDescription: "expired issuer", between: .authority("Between").with { $0.until = now - day }),
        Case(testDescription: "expired root", root: .authority("Root").with { $0.until = now - day }),
        Case(testDescription: "issuer that is none", between: .authority("Between").with { $0.isAuthority = false }),
        Case(
            testDescription: "issuer that may not sign",
            between: .authority("Between").with { $0.usage = KeyUsage(cRLSign: true) }),
        Case(testDescription: "path too long", root: .authority("Root").with { $0.pathLength = 0 }),
        Case(testDescription: "path long enough", root: .authority("Root").with { $0.pathLength = 1 }),
        Case(testDescription: "unknown critical extension", leaf: Wish().with { $0.others = [unknown] }),
        Case(testDescription: "for clients only", leaf: Wish().with { $0.purposes = [.clientAuth] }),
        Case(
            testDescription: "issuer for clients only",
            between: .authority("Between").with { $0.purposes = [.clientAuth] }),
        Case(testDescription: "other host", host: "other.example.com"),
        Case(testDescription: "star", leaf: Wish().with { $0.names = [.dnsName("*.example.com")] }),
        Case(
            testDescription: "name within",
            between: .authority("Between").with { $0.allowed = limit([.dnsName("example.com")]) }),
        Case(
            testDescription: "name outside",
            between: .authority("Between").with { $0.allowed = limit([.dnsName("example.org")]) }),
        Case(
            testDescription: "name excluded",
            between: .authority("Between").with { $0.allowed = limit([], [.dnsName("leaf.example.com")]) }),
        Case(
            testDescription: "common name alone", leaf: Wish().with { $0.names = [] },
            difference: "openssl takes a common name for a host name"),
        Case(
            testDescription: "no purpose", leaf: Wish().with { $0.purposes = nil },
            difference: "servers have to say that they are servers since July 2019"),
        Case(
            testDescription: "valid for long",
            leaf: Wish().with { $0.until = now + 900 * day }, difference: "825 days are the most for a server"),
        Case(
            testDescription: "part of a label as a star", leaf: Wish().with { $0.names = [.dnsName("l*.example.com")] },
            difference: "a star is all of a label"),
        Case(
            testDescription: "SHA-1", between: .authority("Between").with { if let key { $0.key = key } },
            leaf: Wish().with { $0.algorithm = .sha1WithRSAEncryption },
            difference: "at its lowest level openssl accepts SHA-1"),
    ]

    @Test(arguments: cases)
    func opensslAgrees(about wish: Case) throws {
        let chain = try TestChain(root: wish.root, between: wish.between, leaf: wish.leaf)
        let folder = try OpenSSLFolder()
        for (name, certificate) in [("root", chain.root), ("between", chain.between), ("leaf", chain.leaf)] {
            try folder.write(name, certificate.pem)
        }
        let theirs = try folder.run(
            "verify", "-auth_level", "0", "-attime", "\(TestCertificate.now)", "-no-CAfile", "-no-CApath",
            "-no-CAstore", "-CAfile", "@root", "-untrusted", "@between", "-purpose", "sslserver", "-verify_hostname",
            wish.host, "@leaf")
        let ours = chain.defects(for: TrustPolicy(.ssl, name: wish.host))
        let isAgreed = ours.allSatisfy(\.isEmpty) == (theirs.exitStatus == 0)
        #expect(isAgreed == (wish.difference == nil), "\(ours) \(theirs.output) \(theirs.errors)")
    }

    /// swift-certificates reads no such certificate; who made it is told all the same.
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

    /// Companies add certificates by whatever they make them with; each is read that is one, and what is none takes no other with it.
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

    /// A comment may hold the name that somebody gave a certificate.
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
