import Foundation
import TestSupport
import Testing

/// What root has all users trust, in an `/etc` of its own. Needs root.
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
        // Whatever is denied is no anchor, and the chain ends before it.
        #expect(try probe.ask(question).status == -25318)
        // What others could have written does not count.
        try home.root("cp \"$1\" trust/company.pem && chmod 666 trust/company.pem", files.path("root"))
        #expect(try probe.ask(question).status == -25318)
        try home.root(
            "chmod 644 trust/company.pem && printf 'Trust: perhaps\\n' | cat - \"$1\" >trust/company.pem",
            files.path("root"))
        // What is not understood denies the certificates that are there.
        #expect(try probe.ask(question).status == -25318)
        try home.root("printf 'Trust:deny\\n' | cat - \"$1\" >trust/company.pem", files.path("root"))
        #expect(try probe.ask(question).status == -25318)
        try home.root("cat \"$1\" \"$2\" >trust/company.pem", files.path("root"), files.path("leaf"))
        #expect(try probe.ask(question).status == -67654)
        // Text of tools is a comment, and a file may be DER.
        try home.root("printf 'subject=CN = Root\\n' | cat - \"$1\" >trust/company.pem", files.path("root"))
        #expect(try probe.ask(question).status == 0)
        try home.root("openssl x509 -in \"$1\" -outform DER -out trust/company.pem", files.path("root"))
        #expect(try probe.ask(question).status == 0)
        // What root has made and nobody can read may deny anything.
        let invalid = -25262
        try home.root("echo nothing >trust/company.pem")
        #expect(try probe.ask(question).status == invalid)
        try home.root("cp \"$1\" trust/company.pem && chmod 600 trust/company.pem", files.path("root"))
        #expect(try probe.ask(question).status == invalid)
        try home.root("chmod 644 trust/company.pem && chmod 700 trust")
        #expect(try probe.ask(question).status == invalid)
        try home.root("chmod 755 trust")
        #expect(try probe.ask(question).status == 0)
        // Users' own count unless root says otherwise.
        try home.root("rm trust/company.pem")
        try Developers(in: home.bus).require(["add-trusted-cert", files.path("root")])
        #expect(try probe.ask(question).status == 0)
        try home.root("echo off >trust/no-user-settings && chmod 666 trust/no-user-settings")
        #expect(try probe.ask(question).status == 0)
        try home.root("chmod 644 trust/no-user-settings")
        #expect(try probe.ask(question).status == -25318)
        // The distribution's file is followed as it changes.
        try home.root("cat \"$1\" >>/etc/ssl/certs/ca-certificates.crt", files.path("root"))
        #expect(try probe.ask(question).status == 0)
        // As on Arch, where the first place has a link to another one.
        try home.root(
            """
            cd /etc && mkdir -p ca-certificates/extracted
            mv ssl/certs/ca-certificates.crt ca-certificates/extracted/tls-ca-bundle.pem
            ln -s /etc/ca-certificates/extracted/tls-ca-bundle.pem ssl/certs/ca-certificates.crt
            """)
        #expect(try probe.ask(question).status == 0)
        // Of two files for a certificate, the one that denies counts, whatever they are called.
        try home.root(
            "cp \"$1\" trust/a.pem && printf 'Trust: deny\\n' | cat - \"$1\" >trust/b.pem", files.path("leaf"))
        #expect(try probe.ask(question).status == -67654)
        try home.root("mv trust/b.pem trust/0.pem")
        #expect(try probe.ask(question).status == -67654)
    }
}
