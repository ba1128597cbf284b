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

    /// Those that issued what was given, by their names, and no anchors.
    @Test func certificatesOfKeychainsStandBetween() throws {
        let probe = try household.silentProbe("app")
        for name in ["a", "b"] { try tools.require(["create-keychain", "-p", "horse", "\(name).keychain"]) }
        func judged(
            _ keychains: Any?, anchors: [String] = [SampleCertificates.root], options: Int = 0
        ) throws -> (Int, Int?) {
            let answer = try probe.ask([
                "call": "trust", "certificates": [SampleCertificates.leaf], "policy": "basic", "anchors": anchors,
                "keychains": keychains ?? [String](), "options": options,
            ])
            return (answer.status, (answer.result as? [String: Any])?["count"] as? Int)
        }
        for (der, name) in [(SampleCertificates.middle, "a"), (SampleCertificates.root, "b")] {
            let added = try probe.call(
                "add", ["v_Ref": ["certificate": der], "u_Keychain": ["keychain": "\(name).keychain"]])
            #expect(added.status == 0)
        }
        #expect(try judged(nil) == (Self.untrusted, 1))
        #expect(try judged(["b.keychain"]) == (Self.untrusted, 1))
        #expect(try judged(["a.keychain"]) == (Self.trusted, 3))
        // Of the search list, where new keychains are.
        #expect(try judged(NSNull()) == (Self.trusted, 3))
        // A root of a keychain is no anchor.
        #expect(try judged(["a.keychain", "b.keychain"], anchors: [SampleCertificates.past]) == (-67843, 3))
        // Nor by an option: another program may have put it there.
        #expect(try judged(NSNull(), anchors: [SampleCertificates.past], options: 64) == (-67843, 3))
    }

    @Test func optionsChangeWhatCounts() throws {
        let certificates = [try files.certificate("leaf"), try files.certificate("root")]
        #expect(try ask(["certificates": certificates]).status != Self.trusted)
        #expect(try ask(["certificates": certificates, "options": 64]).status == Self.trusted)
        let late = ["certificates": certificates, "date": 4_000_000_000.0] as [String: Any]
        #expect(try ask(late.merging(["options": 64]) { $1 }).status == -67818)
        #expect(try ask(late.merging(["options": 64 + 1 + 8]) { $1 }).status == Self.trusted)
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

    /// Certificates that stand between are looked for in keychains, those that are named or those that are searched.
    @Test func issuersOfKeychainsStandBetween() throws {
        try tools.require(["add-trusted-cert", files.path("root")])
        let chain = try files.chain()
        let leaf = ["verify-cert", "-c", files.path(chain.leaf)]
        #expect(try tools.tool(leaf).status == 1)
        try tools.require(["create-keychain", "-p", "a", "a.keychain"])
        try tools.require(["add-certificates", "-k", "a.keychain", files.path(chain.issuer)])
        #expect(try tools.tool(leaf + ["-k", "a.keychain"]).status == 0)
        try tools.require(["list-keychains", "-d", "user", "-s", "a.keychain"])
        #expect(try tools.tool(leaf).status == 0)
        #expect(try tools.tool(leaf + ["-N"]).status == 1 && tools.tool(leaf + ["-n"]).status == 1)
        #expect(try tools.tool(leaf + ["-k", "b.keychain"]).status != 0)
        // One that issues others stands first where that is said.
        let issuer = ["verify-cert", "-c", files.path(chain.issuer)]
        let refused = try tools.tool(issuer)
        #expect(refused.status == 1 && refused.output.contains { $0.contains("-l") }, "\(refused.output)")
        #expect(try tools.tool(issuer + ["-l"]).status == 0)
        #expect(try tools.tool(["verify-cert", "-c", files.path("root")]).status == 0)
        let shown = try tools.tool(leaf + ["-t"])
        #expect(shown.status == 0 && shown.output.filter { $0.hasPrefix("subject ") }.count == 3, "\(shown.output)")
    }

    /// Settings as a file, which count for nothing until they are imported.
    @Test func settingsGoIntoAFile() throws {
        let file = "\(household.home)/settings.plist"
        try tools.require(["add-trusted-cert", "-p", "ssl", "-o", file, files.path("root")])
        #expect(try tools.tool(["dump-trust-settings"]).status != 0)
        try tools.require(["add-trusted-cert", "-r", "deny", "-i", file, "-o", file, files.path("leaf")])
        try tools.require(["trust-settings-import", file])
        let shown = try tools.tool(["dump-trust-settings"])
        #expect(shown.output.first == "Number of trusted certs = 2", "\(shown.output)")
        #expect(try ask(["anchors": [try files.certificate("root")]]).status == -67654)
        try tools.require(["add-trusted-cert", "-p", "ssl", "-i", file, "-o", file, files.path("leaf")])
        try tools.require(["trust-settings-import", file])
        #expect(try ask().status == Self.trusted)
        for words in [["-i", file], ["-d", "-o", file]] {
            #expect(try tools.tool(["add-trusted-cert"] + words + [files.path("root")]).status == 2, "\(words)")
        }
        let odd = "\(household.home)/odd.plist"
        try Data("odd".utf8).write(to: URL(fileURLWithPath: odd))
        #expect(try tools.tool(["add-trusted-cert", "-i", odd, "-o", file, files.path("root")]).status == 1)
    }

    @Test func whatIsTrustedGoesIntoAKeychain() throws {
        try tools.require(["create-keychain", "-p", "a", "a.keychain"])
        for _ in 0..<2 { try tools.require(["add-trusted-cert", "-k", "a.keychain", files.path("root")]) }
        let found = try tools.tool(["find-certificate", "-a", "-c", "Example", "a.keychain"])
        #expect(found.output.filter { $0.hasPrefix("class:") }.count == 1, "\(found.output)")
        #expect(try ask().status == Self.trusted)
        try tools.require(["remove-trusted-cert", files.path("root")])
        #expect(try tools.tool(["add-trusted-cert", "-k", "none.keychain", files.path("root")]).status == 1)
        #expect(try ask().status == Self.untrusted)
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

    /// And with the passcode, where the list is lost, all of it ends.
    @Test(arguments: ["removed", "former"])
    func thePasscodeEndsWhatIsLost(by means: String) throws {
        let list = "\(household.home)/state/identity/applications"
        let anchors = ["anchors": [try files.certificate("root")]]
        try tools.require(["add-trusted-cert", files.path("root")])
        try tools.require(["remove-trusted-cert", "-a"])
        let former = try Data(contentsOf: URL(fileURLWithPath: list))
        try tools.require(["add-trusted-cert", "-r", "deny", files.path("leaf")])
        try tools.require(["passcode", "set", "--stdin"], reads: Household.passcode)
        household.dismiss()
        if means == "former" { try rewrite(list, former) } else { try FileManager.default.removeItem(atPath: list) }
        try tools.require(["unlock", "--stdin"], reads: Household.passcode)
        #expect(try ask(anchors).status == -25262)
        try removeAll()
        #expect(try ask(anchors).status == Self.trusted)
        household.dismiss()
        #expect(try ask(anchors).status == Self.trusted)
    }

    /// As a person does, who types the passcode.
    private func removeAll() throws {
        let terminal = try TestTerminal()
        try terminal.give(to: household.uid)
        let tool = try ChildProcess(
            ["setsid", "--ctty", "--wait", BuildFolder.program("security"), "remove-trusted-cert", "-a"],
            user: household.uid, environment: household.variables.map { "\($0)=\($1)" },
            files: [(terminal.device, 0), (terminal.device, 1), (terminal.device, 2)], inheritsOthers: false)
        try terminal.expect("Passcode:")
        _ = terminal.settle()
        try terminal.type(Household.passcode + "\r")
        #expect(tool.wait() == .exited(0), "\(terminal.shown)")
    }

    /// What was denied is as unknown as before, also where the daemon ends as soon as there are other keys.
    @Test func newKeysDoNotMakeAnythingKnown() throws {
        let anchors = ["anchors": [try files.certificate("root")]]
        try tools.require(["add-trusted-cert", "-r", "deny", files.path("leaf")])
        try tools.require(["passcode", "set", "--stdin"], reads: Household.passcode)
        household.dismiss()
        try FileManager.default.removeItem(atPath: "\(household.home)/state/identity/applications")
        for _ in 0..<2 {
            // While it is locked.
            #expect(try ask(anchors).status == -25262)
            try tools.require(
                ["passcode", "change", "--new-keys", "--stdin"], reads: "\(Household.passcode)\n\(Household.passcode)")
            #expect(try ask(anchors).status == -25262)
            household.dismiss()
        }
        #expect(try ask(anchors).status == -25262)
    }

    /// Nor unknown: while it is locked, nothing can be signed.
    @Test func whatWasDeniedIsDeniedUnderNewKeys() throws {
        let anchors = ["anchors": [try files.certificate("root")]]
        try tools.require(["add-trusted-cert", "-r", "deny", files.path("leaf")])
        try tools.require(["passcode", "set", "--stdin"], reads: Household.passcode)
        for isLocked in [false, true] {
            if isLocked { try tools.require(["lock"]) }
            try tools.require(
                ["passcode", "change", "--new-keys", "--stdin"], reads: "\(Household.passcode)\n\(Household.passcode)")
            #expect(try ask(anchors).status == -67654)
            household.dismiss()
            #expect(try ask(anchors).status == -67654)
        }
    }

    /// Who has never set trust has denied nothing.
    @Test func aLostListWithoutSettingsOfTrustStopsNothing() throws {
        let anchors = ["anchors": [try files.certificate("root")]]
        try tools.require(["passcode", "set", "--stdin"], reads: Household.passcode)
        let folder = "\(household.home)/made"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        try household.give(folder)
        try tools.require(["app", "develop", folder, "--stdin"], reads: Household.passcode)
        household.dismiss()
        try FileManager.default.removeItem(atPath: "\(household.home)/state/identity/applications")
        #expect(try ask(anchors).status == Self.trusted)
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
