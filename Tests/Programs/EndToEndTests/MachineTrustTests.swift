import Foundation
import TestSupport
import Testing

/// Tests of the certificates that root has all users trust, in an `/etc` of the test's own.
///
/// Needs root.
@Suite struct MachineTrustTests {
    @Test func rootDeploysACompanysRoot() throws {
        guard Privilege.isThere() else { return }
        let home = try RootedHousehold(user: Privilege.user(93))
        let files = try AuthorityFiles(in: home.bus.household.home)
        try home.bus.household.application("app")
        let question: [String: Any] = [
            "call": "trust", "certificates": [try files.certificate("leaf")], "host": AuthorityFiles.host,
        ]
        let probe = try home.bus.probe("app")
        #expect(try probe.ask(question).status == -25318)
        try home.root("mkdir -p trust && cp \"$1\" trust/company.pem", files.path("root"))
        #expect(try probe.ask(question).status == 0)
        try home.root(
            "printf 'Trust: deny\\n' >trust/company.pem && cat \"$1\" >>trust/company.pem", files.path("root"))
        // A denied certificate is no anchor, and the chain ends below it.
        #expect(try probe.ask(question).status == -25318)
        // A file that others could have written does not count.
        try home.root("cp \"$1\" trust/company.pem && chmod 666 trust/company.pem", files.path("root"))
        #expect(try probe.ask(question).status == -25318)
        try home.root(
            "chmod 644 trust/company.pem && printf 'Trust: perhaps\\n' | cat - \"$1\" >trust/company.pem",
            files.path("root"))
        // A line that is not understood denies the certificates of its file.
        #expect(try probe.ask(question).status == -25318)
        try home.root("printf 'Trust:deny\\n' | cat - \"$1\" >trust/company.pem", files.path("root"))
        #expect(try probe.ask(question).status == -25318)
        try home.root("cat \"$1\" \"$2\" >trust/company.pem", files.path("root"), files.path("leaf"))
        #expect(try probe.ask(question).status == -67654)
        // Text that tools write is a comment, and a file may be DER.
        try home.root("printf 'subject=CN = Root\\n' | cat - \"$1\" >trust/company.pem", files.path("root"))
        #expect(try probe.ask(question).status == 0)
        try home.root("openssl x509 -in \"$1\" -outform DER -out trust/company.pem", files.path("root"))
        #expect(try probe.ask(question).status == 0)
        // A file of root that cannot be read may deny any certificate.
        let invalid = -25262
        try home.root("echo nothing >trust/company.pem")
        #expect(try probe.ask(question).status == invalid)
        try home.root("cp \"$1\" trust/company.pem && chmod 600 trust/company.pem", files.path("root"))
        #expect(try probe.ask(question).status == invalid)
        try home.root("chmod 644 trust/company.pem && chmod 700 trust")
        #expect(try probe.ask(question).status == invalid)
        try home.root("chmod 755 trust")
        #expect(try probe.ask(question).status == 0)
        // The user's own settings count unless root forbids them.
        try home.root("rm trust/company.pem")
        let person = try Developers(in: home.bus)
        try person.setPasscode()
        try person.requireTyping(["add-trusted-cert", files.path("root")])
        #expect(try probe.ask(question).status == 0)
        try home.root("echo off >trust/no-user-settings && chmod 666 trust/no-user-settings")
        #expect(try probe.ask(question).status == 0)
        try home.root("chmod 644 trust/no-user-settings")
        #expect(try probe.ask(question).status == -25318)
        // A change of the distribution's file counts at once.
        try home.root("cat \"$1\" >>/etc/ssl/certs/ca-certificates.crt", files.path("root"))
        #expect(try probe.ask(question).status == 0)
        // On Arch, the first place has a link to another file.
        try home.root(
            """
            cd /etc && mkdir -p ca-certificates/extracted
            mv ssl/certs/ca-certificates.crt ca-certificates/extracted/tls-ca-bundle.pem
            ln -s /etc/ca-certificates/extracted/tls-ca-bundle.pem ssl/certs/ca-certificates.crt
            """)
        #expect(try probe.ask(question).status == 0)
        // If two files concern a certificate, the one that denies it counts, whatever their names.
        try home.root(
            "cp \"$1\" trust/a.pem && printf 'Trust: deny\\n' | cat - \"$1\" >trust/b.pem", files.path("leaf"))
        #expect(try probe.ask(question).status == -67654)
        try home.root("mv trust/b.pem trust/0.pem")
        #expect(try probe.ask(question).status == -67654)
    }

    /// The distribution's certificates appear as macOS's keychain of system roots, for the command and for programs.
    ///
    /// Nobody can change it.
    @Test func theDistributionsCertificatesAreAKeychain() throws {
        guard Privilege.isThere() else { return }
        let home = try RootedHousehold(user: Privilege.user(93))
        let files = try AuthorityFiles(in: home.bus.household.home)
        let roots = "/System/Library/Keychains/SystemRootCertificates.keychain"
        let person = try Developers(in: home.bus)
        #expect(try person.tool(["find-certificate", "-c", "Example Root", roots]).status == 44)
        try home.root("cat \"$1\" >>/etc/ssl/certs/ca-certificates.crt", files.path("root"))
        let found = try person.tool(["find-certificate", "-c", "Example Root", "-p", roots])
        let text = try String(contentsOfFile: files.path("root"), encoding: .utf8)
        #expect(found.status == 0 && found.output == text.split(separator: "\n").map(String.init), "\(found)")
        let all = try person.tool(["find-certificate", "-a", "-Z", roots])
        #expect(all.output.contains { $0.contains("\"\(roots)\"") }, "\(all.output.prefix(9))")

        try home.bus.household.application("app")
        let probe = try home.bus.probe("app")
        let place: [String: Any] = ["m_SearchList": [["keychain": roots]]]
        func find(_ query: [String: Any]) throws -> ProbeAnswer {
            try probe.call("find", ["class": "cert"].merging(query) { $1 }.merging(place) { $1 })
        }
        let named: [String: Any] = ["labl": "Example Root"]
        let one = try find(named.merging(["r_Data": true, "m_TrustedOnly": true]) { $1 })
        #expect(try one.data?.base64EncodedString() == files.certificate("root"), "\(one)")
        #expect(try find(["labl": "Example"]).status == -25300)
        #expect(try find(["m_SubjectContains": "ample Ro", "r_Ref": true]).status == 0)
        #expect(try find(["class": "genp"]).status == -25300)
        // A persistent reference finds its certificate without a search list.
        let reference = try find(named.merging(["r_PersistentRef": true]) { $1 }).result as Any
        let referred = try probe.call("find", ["v_PersistentRef": reference, "r_Data": true])
        #expect(try referred.data?.base64EncodedString() == files.certificate("root"), "\(referred)")
        // Every change fails. A deletion that matches no item reports that instead.
        let writing = -61
        let object = ["certificate": try files.certificate("leaf")]
        #expect(try probe.call("add", ["v_Ref": object, "u_Keychain": ["keychain": roots]]).status == writing)
        let every = ["class": "cert"].merging(place) { $1 }
        #expect(try probe.call("delete", every.merging(named) { $1 }).status == writing)
        #expect(try probe.call("delete", every.merging(["labl": "nobody"]) { $1 }).status == -25300)
        #expect(try person.tool(["add-certificates", "-k", roots, files.path("leaf")]).status == 1)
        #expect(try person.tool(["delete-certificate", "-c", "Example Root", roots]).status != 0)
        #expect(try person.tool(["delete-keychain", roots]).status != 0)
        #expect(try find(named).status == 0)
        // The keychain can be one of several in a search list.
        try person.require(["list-keychains", "-s", "login.keychain", roots])
        #expect(try person.tool(["find-certificate", "-c", "Example Root"]).status == 0)
    }
}
