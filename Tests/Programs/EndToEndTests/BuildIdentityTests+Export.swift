import Foundation
import Security
import TestSupport
import Testing

/// What is imported twice, and what leaves a keychain.
extension BuildIdentityTests {
    /// A public key without its private key in the keychain is exported by itself.
    @Test func publicKeysAreExportedBesides() throws {
        try importBuild()
        try tools.require(["set-key-partition-list", "-S", "apple-tool:,apple:", "-k", "ci", "ci.keychain"])
        try openssl("pkey", "-in", "@root.key", "-pubout", "-out", "@public.pem")
        chmod(path("public.pem"), 0o644)
        try tools.require(["import", path("public.pem"), "-k", "ci.keychain"])
        let all = try shown("export", "-k", "ci.keychain", "-t", "all", "-f", "pemseq")
        #expect(all.filter { $0.contains("BEGIN PUBLIC KEY") }.count == 1, "\(all)")
        #expect(all.filter { $0.contains("PRIVATE KEY") && $0.contains("BEGIN") }.count == 1, "\(all)")
    }

    /// A certificate and its key under a label of a program's own are no identity, whichever verb asks.
    @Test func aKeyWithAnotherLabelIsOfNoIdentity() throws {
        try openssl("rsa", "-in", "@build.key", "-traditional", "-outform", "DER", "-out", "@build.der")
        chmod(path("build.pem"), 0o644)
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path("build.der"))).base64EncodedString()
        let label = Data("mykey".utf8).base64EncodedString()
        let added = try tools.household.probe("app").call(
            "add",
            [
                "class": "keys", "kcls": "1", "type": "42", "v_Data": ["data": bytes], "klbl": ["data": label],
                "u_Keychain": ["keychain": "ci.keychain"],
            ])
        #expect(added.status == 0)
        try tools.require(["import", path("build.pem"), "-k", "ci.keychain"])
        #expect(try shown("find-identity", "ci.keychain").contains("     0 identities found"))
        let export = ["export", "-k", "ci.keychain", "-t", "identities", "-f", "pkcs12", "-P", "x", "-o"]
        #expect(try tools.tool(export + ["\(tools.household.home)/out.p12"]).status == 1)
        #expect(!FileManager.default.fileExists(atPath: "\(tools.household.home)/out.p12"))
        #expect(try tools.tool(["delete-identity", "-c", Self.name, "ci.keychain"]).status == 1)
        #expect(try shown("find-certificate", "-Z", "-c", Self.name, "ci.keychain").count > 1)
        // Two public keys under one label are two.
        try tools.require(["create-keychain", "-p", "ci", "other.keychain"])
        for number in 1...2 {
            try openssl("genrsa", "-out", "@other.key", "2048")
            try openssl("rsa", "-in", "@other.key", "-RSAPublicKey_out", "-outform", "DER", "-out", "@other.der")
            let bytes = try Data(contentsOf: URL(fileURLWithPath: path("other.der"))).base64EncodedString()
            let one = try tools.household.probe("app").call(
                "add",
                [
                    "class": "keys", "kcls": "0", "type": "42", "bsiz": 2048 + number, "v_Data": ["data": bytes],
                    "klbl": ["data": label], "u_Keychain": ["keychain": "other.keychain"],
                ])
            #expect(one.status == 0)
        }
        let all = try shown("export", "-k", "other.keychain", "-t", "all", "-f", "pemseq")
        #expect(all.filter { $0.contains("BEGIN") && $0.contains("PUBLIC KEY") }.count == 2, "\(all)")
    }

    /// Two certificates of one issuer and number are two.
    @Test func oneWithTheNumberOfAnotherIsNoImport() throws {
        for (name, status) in [("first", 0), ("second", 1)] {
            try openssl(
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", "@key",
                "-out", "@certificate", "-subj", "/CN=Same", "-set_serial", "1", "-days", "9")
            try openssl(
                "pkcs12", "-export", "-inkey", "@key", "-in", "@certificate", "-out", "@\(name)", "-passout", "pass:x")
            chmod(path(name), 0o644)
            let run = try tools.tool(["import", path(name), "-f", "pkcs12", "-k", "ci.keychain", "-P", "x"])
            #expect(run.status == status, "\(run)")
            #expect(status == 0 || run.output.contains { $0.contains("issuer and serial number") }, "\(run)")
        }
        #expect(try shown("find-identity", "ci.keychain").contains("     1 identities found"))
        #expect(try shown("find-key", "ci.keychain").filter { $0.hasPrefix("keychain: ") }.count == 1)
    }

    /// The formats of `-w` hold one key, and a sequence of them any number.
    @Test func severalKeysAreWrapped() throws {
        try importBuild()
        try openssl("pkey", "-in", "@root.key", "-out", "@other.key")
        chmod(path("other.key"), 0o644)
        try tools.require(["import", path("other.key"), "-k", "ci.keychain"])
        let list = try tools.tool([
            "set-key-partition-list", "-S", "apple-tool:,apple:,cdhash:00ff", "-k", "ci", "ci.keychain",
        ])
        #expect(list.status == 0 && list.output.contains { $0.contains("cdhash:00ff is the partition of no program") })
        for words in [["-t", "privKeys"], ["-t", "privKeys", "-f", "pemseq"], ["-t", "all", "-p"]] {
            let export = ["export", "-k", "ci.keychain", "-w"] + words
            let keys = try tools.tool(export + ["-P", "secret"])
            #expect(keys.status == 0, "\(words): \(keys)")
            #expect(keys.output.filter { $0.contains("BEGIN ENCRYPTED PRIVATE KEY") }.count == 2, "\(keys.output)")
            #expect(!keys.output.contains { $0.contains("BEGIN PRIVATE KEY") || $0.contains("BEGIN EC PRIVATE") })
            // Nobody can be asked for a passphrase.
            let none = try tools.tool(export)
            #expect(none.status == 2 && !none.output.contains { $0.contains("BEGIN") }, "\(none)")
        }
    }

    @Test func whatIsExportedIsTheIdentity() throws {
        try importBuild()
        try tools.require(["set-key-partition-list", "-S", "apple-tool:,apple:", "-k", "ci", "ci.keychain"])
        let file = path("out.p12")
        #expect(
            try shown("export", "-k", "ci.keychain", "-t", "identities", "-f", "pkcs12", "-P", "other", "-o", file)
                .last?.hasSuffix("bytes written to \(file)") == true)
        let status = try FileManager.default.attributesOfItem(atPath: file)
        #expect(status[.posixPermissions] as? Int == 0o600)
        let read = try CommandRun(["openssl", "pkcs12", "-in", file, "-passin", "pass:other", "-nodes"])
        #expect(read.exitStatus == 0 && read.output.contains("PRIVATE KEY") && read.output.contains(Self.name))
        #expect(try tools.tool(["dump-keychain", "ci.keychain"]).output.filter { $0.hasPrefix("class:") }.count == 2)
        // A passphrase alone has the key encrypted, and the formats of one open key have no use for it.
        let words = ["export", "-k", "ci.keychain", "-t", "privKeys", "-p", "-P", "other"]
        for format in [[], ["-f", "pemseq"]] {
            #expect(try tools.tool(words + format).output.first == "-----BEGIN ENCRYPTED PRIVATE KEY-----")
        }
        #expect(try tools.tool(words + ["-f", "openssl"]).output.first == "-----BEGIN RSA PRIVATE KEY-----")
        // Nobody writes these any more.
        for format in [["-f", "openssh1"], ["-f", "openssh1", "-w"], ["-f", "netscape"]] {
            #expect(try tools.tool(words + format).status == 1, "\(format)")
        }
    }
}
