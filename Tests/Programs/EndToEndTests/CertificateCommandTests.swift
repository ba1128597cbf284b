import Foundation
import TestSupport
import Testing

/// Tests of `security certificate` and of macOS's verbs for certificates, with the real daemons
/// (behaviour/security-command.md).
@Suite struct CertificateCommandTests {
    private let tools: Developers
    private let files: AuthorityFiles

    init() throws {
        // Root's own trust settings are those of the machine.
        let household = try Household(uid: geteuid() == 0 ? Privilege.user(94) : geteuid())
        tools = try Developers(in: household)
        files = try AuthorityFiles(in: household.home)
    }

    private func shown(_ words: String...) throws -> [String] {
        let (status, output) = try tools.tool(words)
        try #require(status == 0, "\(words): \(output)")
        return output
    }

    private func list(_ words: String...) throws -> [[String: Any]] {
        let (status, output) = try tools.tool(["certificate"] + words + ["--json"])
        try #require(status == 0, "\(words): \(output)")
        return try #require(
            try JSONSerialization.jsonObject(with: Data(output.joined(separator: "\n").utf8)) as? [[String: Any]])
    }

    @Test func aFileIsShownWithItsVerdict() throws {
        let leaf = try shown("certificate", "show", files.path("leaf"))
        #expect(leaf.contains { $0.hasPrefix("subject") && $0.hasSuffix("CN=leaf") })
        #expect(leaf.contains { $0.hasPrefix("issuer") && $0.hasSuffix("CN=Example Root, O=Example") })
        #expect(leaf.contains { $0.hasPrefix("valid until") && $0.hasSuffix(" days left)") })
        #expect(leaf.contains { $0.hasPrefix("names") && $0.hasSuffix(AuthorityFiles.host) })
        #expect(leaf.contains { $0.hasPrefix("purposes") && $0.hasSuffix("server of TLS") })
        #expect(leaf.contains("It is not trusted."))
        let json = try #require(try list("show", files.path("leaf")).first)
        #expect(json["commonName"] as? String == "leaf" && json["key"] as? String == "P-256")
        #expect(json["isTrusted"] as? Bool == false && (json["reasons"] as? [String])?.count == 1)
        #expect((json["sha256"] as? String)?.count == 64 && json["keychain"] == nil)
        try tools.setPasscode()
        try tools.requireTyping(["add-trusted-cert", files.path("root")])
        #expect(
            try shown("certificate", "show", files.path("leaf"), "--policy", "ssl", "--name", AuthorityFiles.host).last
                == "It is trusted, by what is set about trust.")
        let another = try list("show", files.path("leaf"), "--policy", "ssl", "--name", "other.example.com")
        #expect(another.first?["isTrusted"] as? Bool == false)
        #expect(try tools.tool(["certificate", "show", files.path("leaf"), "--policy", "x"]).status == 2)
        #expect(try tools.tool(["certificate", "show", "\(files.folder)/root.key"]).status == 1)
        let other = "\(files.folder)/other.p12"
        try Data([0x30, 3, 2, 1, 3]).write(to: URL(fileURLWithPath: other))
        chmod(other, 0o644)
        let refused = try tools.tool(["certificate", "show", other])
        #expect(refused.status == 1 && refused.output.contains { $0.contains("security import") }, "\(refused)")
    }

    @Test func certificatesAreAddedListedAndDeleted() throws {
        #expect(try list("list").isEmpty)
        #expect(
            try shown("certificate", "add", files.path("root"), files.path("leaf")) == ["2 certificates added"])
        #expect(try shown("certificate", "add", files.path("leaf")).last == "0 certificates added")
        let rows = try shown("certificate", "list")
        #expect(rows.first?.hasPrefix("NAME") == true && rows.count == 3)
        #expect(rows.contains { $0.hasPrefix("leaf") && $0.contains("Example Root") && $0.contains("days left") })
        let listed = try list("list")
        #expect(listed.map { $0["label"] as? String } == ["Example Root", "leaf"])
        let digest = try #require(listed.last?["sha256"] as? String)
        #expect(try list("show", digest).first?["commonName"] as? String == "leaf")
        #expect(try list("show", AuthorityFiles.host).first?["hasPrivateKey"] as? Bool == false)
        #expect(try tools.tool(["certificate", "show", "nobody"]).status == 44)
        // Both certificates have the letter somewhere in their names.
        #expect(try tools.tool(["certificate", "delete", "e"]).status == 1)
        #expect(try list("list").count == 2)
        let line = "leaf, \(digest.uppercased()) of data protection keychain"
        let refused = try tools.tool(["certificate", "delete", "e"]).output
        #expect(refused.contains(line) && refused.count == 3, "\(refused)")
        #expect(
            try shown("certificate", "delete", "LEAF") == [
                "deleted \(line)", "1 certificate deleted",
            ])
        // Every name contains the empty text.
        #expect(try tools.tool(["certificate", "delete", "", "--all"]).status == 44)
        #expect(try tools.tool(["delete-certificate", "-c", ""]).status == 1)
        #expect(try tools.tool(["find-certificate", "-c", ""]).status == 44)
        #expect(try shown("certificate", "delete", "e", "--all").last == "1 certificate deleted")
        #expect(try list("list").isEmpty)
    }

    @Test func theVerbsOfMacOSFindAndDeleteThem() throws {
        try tools.require(["certificate", "add", files.path("root"), files.path("leaf")])
        let pem = try String(contentsOfFile: files.path("leaf"), encoding: .utf8).split(separator: "\n").map(
            String.init)
        #expect(try shown("find-certificate", "-c", "LEA", "-p") == pem)
        let record = try shown("find-certificate", "-c", "leaf", "-Z", "-m")
        #expect(record[0].hasPrefix("SHA-256 hash: ") && record[1].hasPrefix("SHA-1 hash: "))
        #expect(record[2] == "email addresses: " && record[3] == "keychain: \"data protection keychain\"")
        #expect(record.contains("class: 0x80001000 ") && record.contains("    \"labl\"<blob>=\"leaf\""))
        #expect(try shown("find-certificate", "-a").filter { $0.hasPrefix("class:") }.count == 2)
        #expect(try tools.tool(["find-certificate", "-c", "nobody"]).status == 44)
        #expect(try tools.tool(["find-certificate", "-e", "a@example.org"]).status == 44)
        #expect(try tools.tool(["find-certificate", "-a", "-c", "nobody"]).status == 0)
        #expect(
            try shown("find-identity", "-v").map { $0.trimmingCharacters(in: .whitespaces) } == [
                "0 valid identities found"
            ])
        for word in ["x", "ichat", "macappstore"] {
            #expect(try tools.tool(["find-identity", "-p", word]).status == 2)
        }
        // Nobody here has the certificate of a KDC.
        #expect(try shown("find-identity", "-p", "sys-kerberos-kdc").contains("Policy: Kerberos KDC"))
        #expect(try tools.tool(["find-key"]).status == 1)
        let hash = String(record[1].dropFirst("SHA-1 hash: ".count))
        #expect(try tools.tool(["delete-certificate", "-c", "e"]).status == 1)
        #expect(try tools.tool(["delete-certificate"]).status == 2)
        #expect(try tools.tool(["delete-identity", "-c", "leaf"]).status == 1)
        try tools.setPasscode()
        try tools.requireTyping(["add-trusted-cert", "-r", "trustAsRoot", files.path("leaf")])
        try tools.requireTyping(["delete-certificate", "-Z", hash, "-t"])
        #expect(try tools.tool(["dump-trust-settings"]).status == 1)
        #expect(try shown("export", "-t", "certs", "-p").first == "-----BEGIN CERTIFICATE-----")
        #expect(try tools.tool(["export", "-t", "privKeys"]).status == 1)
        #expect(try tools.tool(["export", "-t", "x"]).status == 2)
        #expect(try tools.tool(["export", "-f", "x509", "-w"]).status == 2)
        let file = "\(files.folder)/bundle.pem"
        #expect(
            try shown("export", "-t", "certs", "-p", "-o", file).first?.hasSuffix("bytes written to \(file)") == true)
        // The command says the same where its output is suppressed. Nobody here can be asked for a passphrase.
        #expect(
            try shown("-q", "export", "-t", "certs", "-o", file).first?.hasSuffix("bytes written to \(file)") == true)
        #expect(try tools.tool(["export", "-t", "certs", "-f", "pkcs12", "-o", file]).status == 1)
        try tools.require(["delete-certificate", "-c", "Example Root"])
        #expect(try list("list").isEmpty)
    }

    /// The question about trust comes before the deletion, and only where trust is set.
    @Test func trustGoesBeforeTheCertificate() throws {
        try tools.require(["certificate", "add", files.path("root"), files.path("leaf")])
        try tools.setPasscode()
        try tools.requireTyping(["add-trusted-cert", "-r", "trustAsRoot", files.path("leaf")])
        // The passcode cannot be asked for without a terminal.
        #expect(try tools.tool(["delete-certificate", "-c", "leaf", "-t"]).status != 0)
        #expect(try list("list").map { $0["label"] as? String } == ["Example Root", "leaf"])
        #expect(try shown("dump-trust-settings").contains("Cert 0: leaf"))
        try tools.require(["delete-certificate", "-c", "Example Root", "-t"])
        #expect(try list("list").map { $0["label"] as? String } == ["leaf"])
    }
}
