import Foundation
import TestSupport
import Testing

/// Evaluations of trust by programs, with the real daemons (behaviour/trust.md).
@Suite struct TrustTests {
    private let household: Household
    private let tools: Developers
    private let files: AuthorityFiles

    private static let (trusted, untrusted) = (0, -25318)
    private static let (proceed, unspecified) = (1, 4)

    init() throws {
        // Root's own settings are those of the machine.
        household = try Household(uid: geteuid() == 0 ? Privilege.user(94) : geteuid())
        tools = try Developers(in: household)
        files = try AuthorityFiles(in: household.home)
        try household.application("app")
    }

    private func ask(_ besides: [String: Any] = [:]) throws -> (status: Int, details: [String: Any]) {
        let question: [String: Any] = [
            "call": "trust", "certificates": [try files.certificate("leaf")], "host": AuthorityFiles.host,
        ]
        let answer = try household.probe("app").ask(question.merging(besides) { $1 })
        return (answer.status, answer.result as? [String: Any] ?? [:])
    }

    @Test func aProgramsOwnAnchorCounts() throws {
        let alone = try ask()
        #expect(alone.status == Self.untrusted && alone.details["trusted"] as? Bool == false)
        #expect((alone.details["reason"] as? String)?.hasPrefix("“leaf” certificate") == true)
        let anchors = ["anchors": [try files.certificate("root")]]
        let anchored = try ask(anchors)
        #expect(anchored.status == Self.trusted && anchored.details["result"] as? Int == Self.unspecified)
        #expect(anchored.details["count"] as? Int == 2 && anchored.details["hasKey"] as? Bool == true)
        let other = try ask(["anchors": [try files.certificate("root")], "host": "other.example.com"])
        #expect(other.status == -67602)
        // A day before it was made, in seconds since 2001.
        let early = try ask(["anchors": [try files.certificate("root")], "date": 0.0])
        #expect(early.status == -67819)
    }

    /// Most of many are not sent at first.
    @Test func oneOfManyAnchorsCounts() throws {
        let others = [[String]](repeating: [SampleCertificates.root, SampleCertificates.middle], count: 6).flatMap {
            $0
        }
        let many = others + [try files.certificate("root")]
        let anchored = try ask(["anchors": many])
        #expect(anchored.status == Self.trusted && anchored.details["count"] as? Int == 2)
        let alone = try ask(["anchors": others])
        #expect(alone.status == Self.untrusted && alone.details["trusted"] as? Bool == false)
        let early = try ask(["anchors": many, "date": 0.0])
        #expect(early.status == -67819)
    }

    @Test func anExceptionIsForOneCertificate() throws {
        let excepted = try ask(["excepting": true])
        #expect(excepted.details["trusted"] as? Bool == false)
        #expect(excepted.details["isExcepted"] as? Bool == true && excepted.details["trustedThen"] as? Bool == true)
    }

    @Test func aPersonTrustsACompanysRoot() throws {
        #expect(try ask().status == Self.untrusted)
        try tools.require(["add-trusted-cert", files.path("root")])
        let trusted = try ask()
        #expect(trusted.status == Self.trusted && trusted.details["result"] as? Int == Self.proceed)
        #expect(try ask(["anchors": [String](), "only": true]).status == Self.untrusted)
        let shown = try tools.tool(["dump-trust-settings"])
        #expect(shown.status == 0 && shown.output.first == "Number of trusted certs = 1", "\(shown.output)")
        #expect(shown.output.contains("Cert 0: Example Root"))
        let verified = try tools.tool(["verify-cert", "-c", files.path("leaf"), "-p", "ssl", "-n", AuthorityFiles.host])
        #expect(
            verified.status == 0 && verified.output == ["...certificate verification successful."], "\(verified.output)"
        )
        let other = try tools.tool(["verify-cert", "-c", files.path("leaf"), "-p", "ssl", "-n", "other.example.com"])
        #expect(other.status == 1, "\(other.output)")
        try tools.require(["remove-trusted-cert", files.path("root")])
        #expect(try ask().status == Self.untrusted)
        #expect(try tools.tool(["remove-trusted-cert", files.path("root")]).status == 1)
    }

    @Test func aSettingIsForWhatItSays() throws {
        try tools.require(["add-trusted-cert", "-p", "smime", files.path("root")])
        #expect(try ask().status != Self.trusted)
        try tools.require(["add-trusted-cert", "-p", "ssl", "-s", AuthorityFiles.host, files.path("root")])
        #expect(try ask().status == Self.trusted)
        try tools.require(["add-trusted-cert", "-a", "\(household.home)/other", files.path("root")])
        #expect(try ask().status != Self.trusted)
        try tools.require(["add-trusted-cert", "-a", "\(household.home)/app", files.path("root")])
        #expect(try ask().status == Self.trusted)
        try tools.require(["add-trusted-cert", "-r", "deny", files.path("leaf")])
        #expect(try ask(["anchors": [try files.certificate("root")]]).status == -67654)
    }

    /// Whoever writes the user's files cannot set trust, and does not undo what was denied.
    @Test func aFileOfSettingsIsTheOneThatWasMade() throws {
        try tools.require(["add-trusted-cert", "-r", "deny", files.path("leaf")])
        let folder = "\(household.home)/state/identity"
        let name = try #require(
            try FileManager.default.contentsOfDirectory(atPath: folder).first { $0.hasPrefix("trust-") })
        #expect(try tools.tool(["status"]).status == 0)
        household.dismiss()
        try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        #expect(try ask(["anchors": [try files.certificate("root")]]).status == -25262)
        #expect(try tools.tool(["dump-trust-settings"]).status != 0)
        try tools.require(["remove-trusted-cert", "-a"])
        #expect(try ask(["anchors": [try files.certificate("root")]]).status == Self.trusted)
    }

    /// With a passcode, the list that says which file counts is not undone either: not without the store, in which the passcode is.
    @Test(arguments: ["removed", "former", "damaged"])
    func whatThePasscodeHasSignedIsNotUndone(by means: String) throws {
        let list = "\(household.home)/state/identity/applications"
        let anchors = ["anchors": [try files.certificate("root")]]
        try tools.require(["add-trusted-cert", files.path("root")])
        try tools.require(["remove-trusted-cert", "-a"])
        let former = try Data(contentsOf: URL(fileURLWithPath: list))
        try tools.require(["add-trusted-cert", "-r", "deny", files.path("leaf")])
        try tools.require(["passcode", "set", "--stdin"], reads: Household.passcode)
        #expect(try ask(anchors).status == -67654)
        household.dismiss()
        let genuine = try Data(contentsOf: URL(fileURLWithPath: list))
        switch means {
        case "removed": try FileManager.default.removeItem(atPath: list)
        case "former": try rewrite(list, former)
        default:
            var damaged = genuine
            damaged[damaged.count / 2] ^= 1
            try rewrite(list, damaged)
        }
        #expect(try ask(anchors).status == -25262)
        #expect(try tools.tool(["dump-trust-settings"]).status != 0)
        #expect(try tools.tool(["remove-trusted-cert", "-a"]).status != 0)
        #expect(try ask(anchors).status == -25262)
        // The genuine one is the remedy, and its file is still there.
        household.dismiss()
        try rewrite(list, genuine)
        #expect(try ask(anchors).status == -67654)
    }

    /// Under new keys nothing was signed, and what was denied is as unknown as before.
    @Test func newKeysDoNotMakeAnythingKnown() throws {
        let anchors = ["anchors": [try files.certificate("root")]]
        try tools.require(["add-trusted-cert", "-r", "deny", files.path("leaf")])
        try tools.require(["passcode", "set", "--stdin"], reads: Household.passcode)
        household.dismiss()
        try FileManager.default.removeItem(atPath: "\(household.home)/state/identity/applications")
        try tools.require(["unlock", "--stdin"], reads: Household.passcode)
        #expect(try ask(anchors).status == -25262)
        try tools.require(
            ["passcode", "change", "--new-keys", "--stdin"], reads: "\(Household.passcode)\n\(Household.passcode)")
        #expect(try ask(anchors).status == -25262)
        household.dismiss()
        #expect(try ask(anchors).status == -25262)
    }

    /// As the household's user may.
    private func rewrite(_ path: String, _ data: Data) throws {
        try data.write(to: URL(fileURLWithPath: path))
        try household.give(path)
        try #require(chmod(path, 0o600) == 0)
    }

    @Test func wherePasscodeIsItIsAskedFor() throws {
        try tools.require(["passcode", "set", "--stdin"], reads: "correct horse battery staple")
        let refused = try tools.tool(["add-trusted-cert", files.path("root")])
        #expect(refused.status != 0)
        #expect(try ask().status == Self.untrusted)
    }
}

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
        // What root has made and nobody can read or understand may deny anything.
        let invalid = -25262
        #expect(try probe.ask(question).status == invalid)
        try home.root("printf 'Trust:deny\\n' | cat - \"$1\" >trust/company.pem", files.path("root"))
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
