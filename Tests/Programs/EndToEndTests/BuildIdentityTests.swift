import Foundation
import Security
import TestSupport
import Testing

/// Tests of macOS's verbs for identities in file keychains, run as build scripts run them, with the real daemons
/// (behaviour/security-command.md).
@Suite struct BuildIdentityTests {
    static let name = "Apple Distribution: Anna (ABCDE12345)"

    let tools: Developers
    let files: AuthorityFiles

    init() throws {
        let household = try Household(uid: geteuid() == 0 ? Privilege.user(94) : geteuid())
        tools = try Developers(in: household)
        files = try AuthorityFiles(in: household.home)
        try openssl(
            "req", "-x509", "-CA", "@root.pem", "-CAkey", "@root.key", "-newkey", "rsa:2048", "-nodes", "-keyout",
            "@build.key", "-out", "@build.pem", "-subj", "/CN=\(Self.name)", "-days", "90", "-addext",
            "basicConstraints=critical,CA:FALSE", "-addext", "keyUsage=critical,digitalSignature", "-addext",
            "extendedKeyUsage=codeSigning")
        try openssl(
            "pkcs12", "-export", "-inkey", "@build.key", "-in", "@build.pem", "-out", "@build.p12", "-passout",
            "pass:pw",
            "-name", "Anna")
        try openssl("pkcs8", "-topk8", "-in", "@build.key", "-out", "@key8.pem", "-passout", "pass:x")
        for name in ["build.p12", "key8.pem"] { chmod("\(files.folder)/\(name)", 0o644) }
        try tools.require(["create-keychain", "-p", "ci", "ci.keychain"])
        try tools.require(["list-keychains", "-d", "user", "-s", "ci.keychain"])
    }

    func openssl(_ words: String...) throws {
        let run = try CommandRun(
            ["openssl"] + words.map { $0.hasPrefix("@") ? "\(files.folder)/\($0.dropFirst())" : $0 })
        try #require(run.exitStatus == 0, "\(run.errors)")
    }

    func path(_ name: String) -> String { "\(files.folder)/\(name)" }

    func shown(_ words: String...) throws -> [String] {
        let (status, output) = try tools.tool(words)
        try #require(status == 0, "\(words): \(output)")
        return output
    }

    func importBuild() throws {
        try tools.require([
            "import", path("build.p12"), "-k", "ci.keychain", "-P", "pw", "-T", "/usr/bin/codesign", "-A",
        ])
    }

    /// Scripts of macOS name the command by its path there.
    @Test func aPasswordForTheCommandItself() throws {
        try tools.require([
            "add-generic-password", "-a", "bot", "-s", "deploy", "-w", "s3cret", "-T", "/usr/bin/security",
            "ci.keychain",
        ])
        #expect(try shown("find-generic-password", "-a", "bot", "-s", "deploy", "-w", "ci.keychain") == ["s3cret"])
    }

    /// The commands are those of fastlane.
    @Test func aBuildGetsItsIdentity() throws {
        let imported = try shown(
            "import", path("build.p12"), "-k", "ci.keychain", "-P", "pw", "-T", "/usr/bin/codesign", "-A")
        #expect(
            imported == [
                "security: there is no program at /usr/bin/codesign: nobody is listed for it", "1 identity imported.",
            ])
        let listed = try shown("set-key-partition-list", "-S", "apple-tool:,apple:", "-s", "-k", "ci", "ci.keychain")
        #expect(listed.contains("class: 0x00000010 ") && listed.contains("    0x00000001 <blob>=\"Anna\""))
        #expect(try shown("find-identity", "-v", "-p", "codesigning").last == "     0 valid identities found")
        let all = try shown("find-identity", "-p", "codesigning")
        #expect(all.contains("Policy: Code Signing") && all.contains("  Matching identities"))
        #expect(all.contains { $0.hasPrefix("  1) ") && $0.hasSuffix("\"\(Self.name)\" (CSSMERR_TP_NOT_TRUSTED)") })
        try tools.setPasscode()
        try tools.requireTyping(["add-trusted-cert", files.path("root")])
        let valid = try shown("find-identity", "-v", "-p", "codesigning", "ci.keychain")
        #expect(valid.count == 2 && valid.last == "     1 valid identities found")
        let digest = try shown("find-certificate", "-c", Self.name, "-Z").dropFirst().first ?? ""
        #expect(valid.first == "  1) \(digest.dropFirst("SHA-1 hash: ".count)) \"\(Self.name)\"")
        // The certificate does not allow the use for servers.
        #expect(try shown("find-identity", "-v", "-p", "ssl-server").last == "     0 valid identities found")
        try tools.require(["lock-keychain", "ci.keychain"])
        #expect(try shown("find-identity", "-v", "-p", "codesigning").last == "     1 valid identities found")
        #expect(try shown("certificate", "list").contains { $0.contains(Self.name) && $0.contains("  yes  ") })
    }

    @Test func whatIsThereIsNotImportedAgain() throws {
        try importBuild()
        let again = try tools.tool(["import", path("build.p12"), "-k", "ci.keychain", "-P", "pw"])
        #expect(again.status == 1 && again.output.first?.hasPrefix("security: SecKeychainItemImport: ") == true)
        let wrong = try tools.tool(["import", path("build.p12"), "-k", "ci.keychain", "-P", "other"])
        #expect(wrong.status == 1)
        for words in [["import"], ["import", "-k", "ci.keychain"], ["import", path("build.p12"), "-f", "x"]] {
            #expect(try tools.tool(words).status == 2, "\(words)")
        }
        #expect(try tools.tool(["import", path("build.p12"), "-a", "name", "value"]).status == 1)
        #expect(
            try tools.tool(["add-certificates", "-k", "ci.keychain", files.path("build"), files.path("root")]).status
                == 1)
        #expect(try shown("find-certificate", "-a", "ci.keychain").filter { $0.hasPrefix("class:") }.count == 2)
        // A certificate that is already stored does not keep the rest of the file from being stored.
        let both = try ["root", "leaf"].map { try String(contentsOfFile: files.path($0), encoding: .utf8) }
        try both.joined().write(toFile: path("both.pem"), atomically: true, encoding: .utf8)
        let added = try tools.tool(["add-certificates", "-k", "ci.keychain", path("both.pem")])
        #expect(added.status == 1 && added.output.count == 1)
        #expect(try shown("find-certificate", "-a", "ci.keychain").filter { $0.hasPrefix("class:") }.count == 3)
        // The error line that scripts look for also appears for a file that is too large to be read.
        #expect(FileManager.default.createFile(atPath: path("large"), contents: Data()))
        #expect(truncate(path("large"), 17 << 20) == 0)
        let large = try tools.tool(["import", path("large"), "-k", "ci.keychain"])
        #expect(large.status == 1 && large.output.first?.hasPrefix("security: SecKeychainItemImport: ") == true)
    }

    /// Without -P, a person gives the passphrase: at the terminal, or without one in a dialog on a display.
    @Test func nobodyIsAskedWithoutTerminalAndDisplay() throws {
        let imported = try tools.tool(["import", path("build.p12"), "-k", "ci.keychain"])
        #expect(imported.status == 1, "\(imported)")
        #expect(imported.output.first?.hasPrefix("security: SecKeychainItemImport: ") == true, "\(imported)")
        try importBuild()
        let exported = try tools.tool(["export", "-k", "ci.keychain", "-t", "certs", "-f", "pkcs12"])
        #expect(exported.status == 1, "\(exported)")
        #expect(exported.output.first?.hasPrefix("security: SecItemExport: ") == true, "\(exported)")
    }

    /// Any bytes of a length that AES has are imported as a key where an option says that they are one.
    @Test func aSymmetricKeyIsImported() throws {
        for (count, words) in [(32, ["-t", "session"]), (16, ["-f", "raw"])] {
            let file = path("aes-\(count).key")
            try Data(repeating: 7, count: count).write(to: URL(fileURLWithPath: file))
            chmod(file, 0o644)
            #expect(try tools.tool(["import", file, "-k", "ci.keychain", "-A"]).status == 1)
            let imported = try tools.tool(["import", file, "-k", "ci.keychain", "-A"] + words)
            #expect(imported.status == 0 && imported.output == ["1 key imported."], "\(imported)")
        }
        let second = path("second.key")
        try Data(repeating: 8, count: 32).write(to: URL(fileURLWithPath: second))
        chmod(second, 0o644)
        let besides = try tools.tool(["import", second, "-k", "ci.keychain", "-A", "-f", "raw"])
        #expect(besides.status == 0, "another key of the same size: \(besides)")
        let kept = path("kept.key")
        try Data(repeating: 7, count: 24).write(to: URL(fileURLWithPath: kept))
        chmod(kept, 0o644)
        let importing = ["import", kept, "-k", "ci.keychain", "-A", "-x", "-f", "raw"]
        let keeping = try tools.tool(importing)
        #expect(keeping.output == ["1 key imported."], "\(keeping)")
        let read = try tools.household.probe("app").call(
            "find",
            [
                "class": "keys", "labl": "kept", "kcls": 2, "r_Data": true,
                "m_SearchList": [["keychain": "ci.keychain"]],
            ])
        #expect(read.status == 0 && read.result == nil, "by -x the key never leaves")
        let found = try tools.household.probe("app").call(
            "find",
            [
                "class": "keys", "labl": "aes-32", "kcls": 2, "r_Attributes": true,
                "m_SearchList": [["keychain": "ci.keychain"]],
            ])
        #expect(found.status == 0 && found.dictionary?["bsiz"] as? Int == 256, "\(found)")
        let odd = path("odd.key")
        try Data(repeating: 7, count: 10).write(to: URL(fileURLWithPath: odd))
        chmod(odd, 0o644)
        #expect(try tools.tool(["import", odd, "-k", "ci.keychain", "-t", "session"]).status == 1)
    }

    /// A part that cannot be stored leaves no other part of its file behind.
    @Test func allOfAFileIsStoredOrNothing() throws {
        // The name has more parts than one reading takes.
        let units = (0..<300).map { "/OU=\($0)" }.joined()
        try openssl(
            "req", "-x509", "-CA", "@root.pem", "-CAkey", "@root.key", "-newkey", "rsa:2048", "-nodes", "-keyout",
            "@many.key", "-out", "@many.pem", "-subj", "/CN=many\(units)", "-days", "90")
        let parts = try ["root", "leaf", "many"].map { try String(contentsOfFile: files.path($0), encoding: .utf8) }
        try parts.joined().write(toFile: path("three.pem"), atomically: true, encoding: .utf8)
        try tools.require(["import", files.path("root"), "-k", "ci.keychain"])
        let run = try tools.tool(["import", path("three.pem"), "-k", "ci.keychain"])
        #expect(run.status == 1 && run.output.first?.hasPrefix("security: SecKeychainItemImport: ") == true, "\(run)")
        #expect(!run.output.contains { $0.contains("deleted again") }, "\(run)")
        // The certificate that was already stored stays.
        #expect(try shown("find-certificate", "-a", "ci.keychain").filter { $0.hasPrefix("class:") }.count == 1)
        // The identity cannot be stored, and its issuer is not left behind.
        try openssl(
            "pkcs12", "-export", "-inkey", "@many.key", "-in", "@many.pem", "-certfile", "@root.pem", "-out",
            "@many.p12", "-passout", "pass:pw")
        try tools.require(["create-keychain", "-p", "ci", "other.keychain"])
        let bundle = try Data(contentsOf: URL(fileURLWithPath: path("many.p12"))).base64EncodedString()
        let keychain: [String: Any] = [
            kSecImportExportKeychain as String: ["keychain": "other.keychain"],
            kSecImportExportPassphrase as String: "pw",
        ]
        let answer = try tools.household.probe("app").ask(["call": "pkcs12", "data": bundle, "options": keychain])
        #expect(answer.status != 0, "\(answer)")
        #expect(try tools.tool(["find-certificate", "other.keychain"]).status == 44)
        try tools.require(["lock-keychain", "ci.keychain"])
        #expect(try tools.tool(["import", files.path("leaf"), "-k", "ci.keychain"]).status == 1)
        #expect(try shown("find-certificate", "-a", "ci.keychain").filter { $0.hasPrefix("class:") }.count == 1)
    }

    /// The call has the same rule: the last key of a file is already stored, so nothing of the file stays.
    @Test func aKeyThatIsThereTakesTheOthersBack() throws {
        for name in ["one", "two"] {
            try openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", "@\(name).key")
        }
        let program = try tools.household.probe("app")
        func store(_ names: [String], isFormer: Bool = false) throws -> Int {
            let text = try names.map { try String(contentsOfFile: path($0), encoding: .utf8) }.joined()
            return try program.ask([
                "call": "import", "data": Data(text.utf8).base64EncodedString(), "keychain": "ci.keychain",
                "isFormer": isFormer,
            ]).status
        }
        #expect(try store(["two.key"]) == 0)
        #expect(try store(["leaf.pem", "one.key", "two.key"]) == -25299)
        #expect(try tools.tool(["find-certificate", "-c", "leaf", "ci.keychain"]).status == 44)
        #expect(try store(["leaf.pem", "one.key", "two.key"], isFormer: true) == -25299)
        // Had the refused imports left the certificate or the key, this one would report a duplicate.
        #expect(try store(["leaf.pem", "one.key"], isFormer: true) == 0)
        #expect(try store(["one.key"]) == -25299)
        #expect(try tools.tool(["find-certificate", "-c", "leaf", "ci.keychain"]).status == 0)
    }

    /// A certificate that is too large to be judged does not keep others from being judged.
    @Test func aLargeCertificateIsNoReasonToJudgeNone() throws {
        try importBuild()
        try tools.setPasscode()
        try tools.requireTyping(["add-trusted-cert", files.path("root")])
        try tools.require(["add-certificates", "-k", "ci.keychain", files.path("root")])
        let names = (0..<2500).map { "DNS:host-\($0).of.a.large.example.com" }.joined(separator: ",")
        try openssl(
            "req", "-x509", "-CA", "@root.pem", "-CAkey", "@root.key", "-newkey", "rsa:2048", "-nodes", "-keyout",
            "@large.key", "-out", "@large.pem", "-subj", "/CN=large", "-days", "90", "-addext",
            "subjectAltName=\(names)")
        try openssl(
            "pkcs12", "-export", "-inkey", "@large.key", "-in", "@large.pem", "-out", "@large.p12", "-passout",
            "pass:pw")
        chmod(path("large.p12"), 0o644)
        try tools.require(["import", path("large.p12"), "-k", "ci.keychain", "-P", "pw", "-A"])
        let shown = try tools.tool(["find-identity", "-p", "codesigning", "ci.keychain"])
        #expect(shown.status == 0 && shown.output.contains("     2 identities found"), "\(shown)")
        #expect(shown.output.contains("     1 valid identities found"), "\(shown)")
        #expect(shown.output.contains { $0.hasSuffix("\"large\" (errSecParam)") }, "\(shown)")
        #expect(shown.output.contains { $0.hasPrefix("security: large was not judged: ") }, "\(shown)")
    }

    /// A damaged keychain of the search list does not end the search in the others.
    @Test func aDamagedKeychainIsPassedOver() throws {
        try importBuild()
        try tools.require(["create-keychain", "-p", "ci", "bad.keychain"])
        try tools.require(["list-keychains", "-d", "user", "-s", "bad.keychain", "ci.keychain"])
        let listed = try shown("list-keychains").map { $0.trimmingCharacters(in: [" ", "\""]) }
        let bad = try #require(listed.first { $0.contains("bad.keychain") })
        try tools.require(["lock-keychain", "bad.keychain"])
        try Data("nothing".utf8).write(to: URL(fileURLWithPath: bad))
        let found = try tools.tool(["find-identity"])
        #expect(found.status == 0 && found.output.contains("     1 identities found"), "\(found)")
        #expect(found.output.filter { $0.contains("was passed over") }.count == 1, "\(found)")
        #expect(try tools.tool(["find-identity", "bad.keychain"]).status != 0)
        #expect(try tools.tool(["find-certificate", "-c", "Anna"]).status == 0)
    }

    @Test func keysAndCertificatesOfFiles() throws {
        #expect(
            try shown("import", path("key8.pem"), "-k", "ci.keychain", "-P", "x", "-x") == ["1 key imported."])
        #expect(try shown("import", files.path("build"), "-k", "ci.keychain") == ["1 certificate imported."])
        #expect(try shown("find-identity", "ci.keychain").contains("     1 identities found"))
        // The key is found by the file's name, and `-x` forbids its export.
        #expect(try shown("find-key", "-l", "key8").contains("class: 0x00000010 "))
        let refused = try tools.tool(["export", "-k", "ci.keychain", "-t", "privKeys", "-p"])
        #expect(refused.status == 1 && !refused.output.contains { $0.contains("BEGIN") })
        #expect(try tools.tool(["find-key", "-l", "nobody"]).status == 1)
        #expect(try tools.tool(["find-key", "-t", "nonsense"]).status == 2)
        // No key has a kind or a comment.
        #expect(try tools.tool(["find-key", "-D", "kind"]).status == 1)
        #expect(try tools.tool(["find-key", "-j", "comment"]).status == 1)
        let code = try tools.tool(["find-key", "-c", "abc"])
        #expect(code.status == 1 && code.output.contains { $0.contains("has a blank behind it") }, "\(code.output)")
        let list = try tools.tool(["set-key-partition-list", "-S", "apple:", "-k", "ci", "-c", "abc", "ci.keychain"])
        #expect(list.status == 1 && list.output.contains { $0.contains("has a blank behind it") }, "\(list.output)")
        #expect(
            try tools.tool(["set-key-partition-list", "-S", "apple:", "-k", "ci", "-l", "nobody", "ci.keychain"]).status
                == 1)
        #expect(try tools.tool(["set-key-partition-list", "-k", "ci", "ci.keychain"]).status == 2)
        try tools.require(["delete-identity", "-c", Self.name])
        #expect(try tools.tool(["find-key"]).status == 1)
        #expect(try tools.tool(["find-certificate"]).status == 44)
    }

    @Test func anIdentityIsPreferredForAService() throws {
        try importBuild()
        let service = "https://repo.example.com/team"
        #expect(try tools.tool(["default-keychain", "-s", "ci.keychain"]).status == 0)
        #expect(try tools.tool(["get-identity-preference", "-s", service]).status == 44)
        #expect(try tools.tool(["set-identity-preference", "-s", service, "-c", "nobody"]).status == 1)
        #expect(try tools.tool(["set-identity-preference", "-c", Self.name]).status == 2)
        try tools.require(["set-identity-preference", "-s", service, "-c", Self.name])
        #expect(try shown("get-identity-preference", "-s", service, "-c") == ["common name: \"\(Self.name)\""])
        // The preference also counts for addresses below its own, and for no other use of the key.
        #expect(try shown("get-identity-preference", "-s", service + "/project/", "-Z").count == 2)
        #expect(try tools.tool(["get-identity-preference", "-s", "https://repo.example.com"]).status == 44)
        #expect(try tools.tool(["get-identity-preference", "-s", service, "-u", "4"]).status == 44)
        // Programs find and change the preference by the call too.
        let program = try tools.household.probe("app")
        func ask(_ function: String, _ more: [String: Any] = [:]) throws -> ProbeAnswer {
            let base: [String: Any] = ["call": "Preferred", "function": function, "name": service]
            return try program.ask(base.merging(more) { $1 })
        }
        #expect(try ask("CopyIdentity").result as? String == Self.name)
        #expect(try ask("CopyIdentity", ["usage": ["sign"]]).status == -25300)
        #expect(try ask("CopyCertificate").status == -25300)
        #expect(try ask("SetCertificate").status == 0)
        #expect(try ask("CopyCertificate").result as? String == Self.name)
        #expect(try ask("SetCertificate", ["clear": true]).status == 0)
        #expect(try ask("CopyCertificate").status == -25300)
        try tools.require(["set-identity-preference", "-n", "-s", service])
        #expect(try tools.tool(["set-identity-preference", "-n", "-s", service]).status == 44)
        #expect(try tools.tool(["get-identity-preference", "-s", service]).status == 44)
    }

    /// One identity in two keychains is preferred by its digest, where it is found first.
    @Test func anIdentityInTwoKeychainsIsPreferredByItsDigest() throws {
        try importBuild()
        try tools.require(["create-keychain", "-p", "ci", "other.keychain"])
        try tools.require(["import", path("build.p12"), "-k", "other.keychain", "-P", "pw", "-A"])
        try tools.require(["list-keychains", "-d", "user", "-s", "ci.keychain", "other.keychain"])
        try tools.require(["default-keychain", "-s", "ci.keychain"])
        let digests = try shown("find-certificate", "-Z", "-c", Self.name, "other.keychain")
        for kind in ["SHA-1", "SHA-256"] {
            let line = try #require(digests.first { $0.hasPrefix("\(kind) hash: ") })
            let digest = String(line.dropFirst("\(kind) hash: ".count))
            try tools.require(["set-identity-preference", "-s", "mail", "-Z", digest])
            #expect(try shown("get-identity-preference", "-s", "mail", "-c") == ["common name: \"\(Self.name)\""])
        }
        // Its name names one as well, and another identity of that name makes it ambiguous.
        try tools.require(["set-identity-preference", "-s", "mail", "-c", Self.name])
        try openssl(
            "req", "-x509", "-key", "@build.key", "-out", "@twin.pem", "-subj", "/CN=\(Self.name)", "-days", "90")
        chmod(path("twin.pem"), 0o644)
        try tools.require(["import", path("twin.pem"), "-k", "ci.keychain"])
        let ambiguous = try tools.tool(["set-identity-preference", "-s", "mail", "-c", Self.name])
        #expect(ambiguous.status == 1 && ambiguous.output.contains { $0.contains("ambiguous") }, "\(ambiguous)")
    }

    @Test func aPairOfKeysIsMade() throws {
        try tools.require(["create-keypair", "-a", "ec", "-k", "ci.keychain", "made"])
        #expect(try shown("find-key", "-l", "made").filter { $0.hasPrefix("class:") }.count == 2)
        #expect(try shown("find-key", "-s", "-l", "made").filter { $0.hasPrefix("class:") } == ["class: 0x00000010 "])
        let hash = try shown("create-keypair", "-a", "ec", "-k", "ci.keychain", "-H", "hashed")
        #expect(hash.count == 1 && hash[0].count == 40)
        #expect(try shown("find-key", "-a", hash[0]).filter { $0.hasPrefix("class:") }.count == 2)
        #expect(try tools.tool(["create-keypair", "-a", "dsa", "-k", "ci.keychain", "made"]).status == 1)
        #expect(try tools.tool(["create-keypair", "-d", "10", "-k", "ci.keychain", "made"]).status == 1)
    }
}
