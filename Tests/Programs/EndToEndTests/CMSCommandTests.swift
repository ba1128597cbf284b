import Foundation
import TestSupport
import Testing

/// Tests of `security cms` with the real daemons and with `openssl` at the other end (behaviour/security-command.md).
@Suite struct CMSCommandTests {
    private static let text = "A sentence\nof two lines.\n"

    private let tools: Developers
    private let files: AuthorityFiles

    init() throws {
        let household = try Household(uid: geteuid() == 0 ? Privilege.user(94) : geteuid())
        tools = try Developers(in: household)
        files = try AuthorityFiles(in: household.home)
        try Data(Self.text.utf8).write(to: URL(fileURLWithPath: path("text")))
        try tools.require(["create-keychain", "-p", "ci", "ci.keychain"])
        try tools.require(["list-keychains", "-d", "user", "-s", "ci.keychain"])
        try identity("anna", ["rsa:2048"])
        try identity("bert", ["ec", "-pkeyopt", "ec_paramgen_curve:P-384"])
        try tools.require(["set-key-partition-list", "-S", "apple-tool:,apple:", "-k", "ci", "ci.keychain"])
    }

    /// Stores a certificate of the authority and its key in the keychain.
    private func identity(_ name: String, _ kind: [String]) throws {
        try openssl(
            ["req", "-x509", "-CA", "@root.pem", "-CAkey", "@root.key", "-newkey"] + kind + [
                "-nodes", "-keyout", "@\(name).key", "-out", "@\(name).pem", "-subj", "/CN=\(name)", "-days", "90",
                "-addext", "basicConstraints=critical,CA:FALSE", "-addext", "subjectAltName=email:\(name)@example.com",
                "-addext", "extendedKeyUsage=emailProtection",
            ])
        try openssl([
            "pkcs12", "-export", "-inkey", "@\(name).key", "-in", "@\(name).pem", "-out", "@\(name).p12", "-passout",
            "pass:pw",
        ])
        chmod(path("\(name).p12"), 0o644)
        try tools.require(["import", path("\(name).p12"), "-k", "ci.keychain", "-P", "pw", "-A"])
    }

    private func openssl(_ words: [String]) throws {
        let run = try CommandRun(["openssl"] + words.map { $0.hasPrefix("@") ? path(String($0.dropFirst())) : $0 })
        try #require(run.exitStatus == 0, "\(words): \(run.errors)")
    }

    private func path(_ name: String) -> String { "\(files.folder)/\(name)" }

    private func contents(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path(name))) }

    private func put(_ data: Data, _ name: String) throws {
        try data.write(to: URL(fileURLWithPath: path(name)))
        chmod(path(name), 0o644)
    }

    private func cms(_ words: String...) throws -> (status: Int32, output: [String]) {
        try tools.tool(["cms"] + words.map { $0.hasPrefix("@") ? path(String($0.dropFirst())) : $0 })
    }

    @Test(arguments: [("anna", "SHA256"), ("bert@example.com", "sha384"), ("anna", "SHA512")])
    func whatIsSignedIsVerified(_ name: String, _ hash: String) throws {
        let made = try cms("-S", "-N", name, "-H", hash, "-G", "-P", "-Y", "bert", "-i", "@text", "-o", "@message")
        #expect(made.status == 0 && made.output.isEmpty, "\(made)")
        for command in ["cms", "smime"] {
            try openssl([
                command, "-verify", "-in", "@message", "-inform", "DER", "-CAfile", "@root.pem", "-out", "@again",
            ])
            #expect(try contents("again") == Data(Self.text.utf8))
        }
        let read = try cms("-D", "-i", "@message", "-h", "0")
        let who = name.prefix(4)
        #expect(read.status == 0 && read.output.contains("SMIME: level=0.1; type=signedData; nsigners=1; "), "\(read)")
        #expect(read.output.contains("\t\tsigner0.id=\"\(who)\"; signer0.status=SigningCertNotTrusted; "))
        #expect(
            read.output.contains { $0.hasPrefix("signer 1, “\(who)”: the signature is good (\(hash.uppercased()), ") })
        #expect(read.output.suffix(2) == ["A sentence", "of two lines."])
        // A caller that names the certificate's use requires it to be trusted.
        #expect(try cms("-D", "-u", "4", "-n", "-i", "@message").status == 1)
        try tools.setPasscode()
        try tools.requireTyping(["add-trusted-cert", files.path("root")])
        let trusted = try cms("-D", "-u", "4", "-h", "1", "-n", "-i", "@message")
        #expect(trusted.status == 0 && trusted.output.contains { $0.hasSuffix("signer0.status=GoodSignature; ") })
        #expect(trusted.output.last?.hasSuffix("; the certificate is trusted") == true, "\(trusted)")
        // The certificate does not allow the use for servers.
        #expect(try cms("-D", "-u", "1", "-n", "-i", "@message").status == 1)
    }

    @Test func theSignerIsFoundByKeyIdentifierAndTheContentLeftOut() throws {
        try openssl(["x509", "-in", "@bert.pem", "-noout", "-ext", "subjectKeyIdentifier", "-out", "@id"])
        let id = try #require(String(decoding: try contents("id"), as: UTF8.self).split(separator: "\n").last)
        let word = id.filter { $0 != " " }
        let made = try cms("-S", "-T", "-Z", word, "-k", "ci.keychain", "-i", "@text", "-o", "@detached")
        #expect(made.status == 0, "\(made)")
        try openssl([
            "cms", "-verify", "-in", "@detached", "-inform", "DER", "-content", "@text", "-binary", "-CAfile",
            "@root.pem", "-out", "@again",
        ])
        #expect(try cms("-D", "-i", "@detached", "-c", "@text", "-n").status == 0)
        #expect(try cms("-D", "-i", "@detached", "-n").status == 1)
        #expect(try cms("-D", "-i", "@detached", "-c", "@root.pem").status == 1)
        #expect(try cms("-S", "-N", "nobody", "-i", "@text").status == 1)
        #expect(try cms("-S", "-N", "ann", "-i", "@text").status == 1, "a part of a name is nobody's")
    }

    @Test func whatOthersSignedIsVerified() throws {
        for name in ["anna", "bert"] {
            try openssl([
                "cms", "-sign", "-in", "@text", "-signer", "@\(name).pem", "-inkey", "@\(name).key", "-nocerts",
                "-nodetach", "-binary", "-stream", "-outform", "DER", "-out", "@theirs",
            ])
            chmod(path("theirs"), 0o644)
            // The message has no certificate, so the keychain's is used.
            let read = try cms("-D", "-i", "@theirs", "-o", "@content")
            #expect(read.status == 0 && read.output.first?.contains("the signature is good") == true, "\(read)")
            #expect(try contents("content") == Data(Self.text.utf8))
            var changed = try contents("theirs")
            let place = try #require(changed.range(of: Data("sentence".utf8))).lowerBound
            changed[place] ^= 1
            try put(changed, "changed")
            let bad = try cms("-D", "-i", "@changed", "-h", "0")
            #expect(bad.status == 1 && bad.output.contains { $0.hasSuffix("signer0.status=DigestMismatch; ") })
            #expect(!bad.output.contains("of two lines."), "nothing of it is written")
            changed = try contents("theirs").dropLast(20)
            try put(changed, "cut")
            #expect(try cms("-D", "-i", "@cut").output.first?.hasPrefix("security: SecCmsMessageDecode: ") == true)
        }
    }

    @Test func envelopesAreOpenedByWhomTheyAreFor() throws {
        let made = try cms("-E", "-r", "anna@example.com,bert", "-i", "@text", "-o", "@message")
        #expect(made.status == 0, "\(made)")
        for name in ["anna", "bert"] {
            try openssl([
                "cms", "-decrypt", "-in", "@message", "-inform", "DER", "-recip", "@\(name).pem", "-inkey",
                "@\(name).key", "-out", "@again",
            ])
            #expect(try contents("again") == Data(Self.text.utf8))
            try openssl([
                "cms", "-encrypt", "-aes256", "-in", "@text", "-binary", "-outform", "DER", "-out", "@theirs",
                "@\(name).pem",
            ])
            chmod(path("theirs"), 0o644)
            let read = try cms("-D", "-h", "0", "-i", "@theirs")
            #expect(read.status == 0, "\(read)")
            #expect(
                read.output == ["SMIME: level=0.1; type=envelopedData; ", "A sentence", "of two lines."], "\(read)")
        }
        #expect(try cms("-D", "-i", "@message").output == ["A sentence", "of two lines."])
        // macOS's debugging options print nothing (behaviour/differences.md, 109).
        #expect(try cms("-D", "-s", "-v", "-i", "@message").output == ["A sentence", "of two lines."])
        try openssl([
            "cms", "-encrypt", "-aes256", "-in", "@text", "-binary", "-outform", "DER", "-out", "@others", "@root.pem",
        ])
        chmod(path("others"), 0o644)
        let others = try cms("-D", "-i", "@others")
        #expect(others.status == 1 && others.output.contains { $0.contains("is for nobody") }, "\(others)")
        #expect(try cms("-E", "-r", "nobody@example.com", "-i", "@text").status == 1)
        // The password opens a locked keychain.
        try tools.require(["lock-keychain", "ci.keychain"])
        #expect(try cms("-D", "-k", "ci.keychain", "-p", "wrong", "-i", "@message").status == 1)
        #expect(
            try cms("-D", "-k", "ci.keychain", "-p", "ci", "-i", "@message").output == ["A sentence", "of two lines."])
    }

    /// Messages near the size limit work in both directions.
    @Test func largeMessages() throws {
        try put(Data(repeating: 0x61, count: (16 << 20) - 10_000), "many")
        for words in [["-S", "-N", "anna"], ["-E", "-r", "bert"]] {
            let made = try tools.tool(["cms"] + words + ["-i", path("many"), "-o", path("message")])
            #expect(made.status == 0, "\(made)")
            let read = try cms("-D", "-i", "@message", "-o", "@again")
            #expect(read.status == 0, "\(read)")
            #expect(try contents("again") == contents("many"))
        }
        try put(Data(repeating: 0x61, count: 16 << 20), "most")
        #expect(try cms("-S", "-N", "anna", "-i", "@most").status == 1)
        #expect(try cms("-E", "-r", "bert", "-i", "@most").status == 1)
    }

    /// A stranger chooses the name in a certificate, so it must not imitate a line of status.
    @Test func aNameForgesNoStatus() throws {
        try openssl([
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "@forger.key",
            "-out", "@forger.pem", "-subj", "/CN=x\\\"; signer0.status=GoodSignature; y=\"”: the signature is good; “",
            "-utf8",
        ])
        try openssl([
            "cms", "-sign", "-in", "@text", "-signer", "@forger.pem", "-inkey", "@forger.key", "-nodetach", "-binary",
            "-outform", "DER", "-out", "@forged",
        ])
        chmod(path("forged"), 0o644)
        let read = try cms("-D", "-n", "-i", "@forged", "-h", "0")
        let header = try #require(read.output.first { $0.contains("signer0.id=") })
        #expect(header.contains(#"\"; signer0.status=GoodSignature; y=\""#), "\(header)")
        #expect(header.hasSuffix("\"; signer0.status=SigningCertNotTrusted; "), "\(header)")
        #expect(read.output.contains { $0.hasPrefix("signer 1, “x") }, "\(read)")
        #expect(!read.output.contains { $0.contains("”: the signature is good; “") }, "\(read)")
    }

    /// Anybody can make a certificate with any name.
    ///
    /// The message goes to the trusted one, although another is newer.
    @Test func aStrangersNewerCertificateIsNotSentTo() throws {
        try openssl([
            "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "@newer.key", "-out", "@newer.pem", "-subj",
            "/CN=anna", "-days", "30", "-addext", "subjectAltName=email:anna@example.com",
        ])
        chmod(path("newer.pem"), 0o644)
        try tools.require(["import", path("newer.pem"), "-k", "ci.keychain"])
        try tools.setPasscode()
        try tools.requireTyping(["add-trusted-cert", files.path("root")])
        #expect(try cms("-E", "-r", "anna@example.com", "-i", "@text", "-o", "@message").status == 0)
        try openssl([
            "cms", "-decrypt", "-in", "@message", "-inform", "DER", "-recip", "@anna.pem", "-inkey", "@anna.key",
            "-out", "@again",
        ])
        #expect(try contents("again") == Data(Self.text.utf8))
    }

    @Test func certificatesAlone() throws {
        #expect(try cms("-O", "-r", "anna,bert", "-o", "@alone").status == 0)
        try openssl(["pkcs7", "-inform", "DER", "-in", "@alone", "-print_certs", "-noout"])
        let read = try cms("-D", "-i", "@alone")
        #expect(read.status == 0 && read.output == ["nobody signed the message; there are 2 certificates in it"])
    }

    @Test func wrongUsage() throws {
        for words in [
            [], ["-D", "-S"], ["-S"], ["-S", "-N", "anna", "-Z", "00"], ["-S", "-N", "anna", "-H", "MD5"], ["-E"],
            ["-D", "-u", "12"], ["-D", "-h", "x"], ["-D", "-x"],
        ] { #expect(try tools.tool(["cms"] + words).status == 2, "\(words)") }
        #expect(try cms("-C", "-i", "@text").status == 1)
        #expect(try cms("-D", "-i", "@nothing").status == 1)
        #expect(try cms("-D", "-i", "@text").status == 1)
        #expect(FileManager.default.createFile(atPath: path("large"), contents: Data()))
        #expect(truncate(path("large"), 17 << 20) == 0)
        #expect(try cms("-D", "-i", "@large").status == 1)
    }
}
