import Foundation
import TestSupport
import Testing

/// Tests of programs' trust evaluations with the real daemons (behaviour/trust.md).
@Suite struct TrustTests {
    private let home: TrustHousehold

    private static let (proceed, unspecified) = (1, 4)

    init() throws { home = try TrustHousehold() }

    @Test func aProgramsOwnAnchorCounts() throws {
        let alone = try home.ask()
        #expect(alone.status == TrustHousehold.untrusted && alone.details["trusted"] as? Bool == false)
        #expect((alone.details["reason"] as? String)?.hasPrefix("“leaf” certificate") == true)
        let anchors = ["anchors": [try home.files.certificate("root")]]
        let anchored = try home.ask(anchors)
        #expect(anchored.status == TrustHousehold.trusted && anchored.details["result"] as? Int == Self.unspecified)
        #expect(anchored.details["count"] as? Int == 2 && anchored.details["hasKey"] as? Bool == true)
        let other = try home.ask(["anchors": [try home.files.certificate("root")], "host": "other.example.com"])
        #expect(other.status == -67602)
        // The date is before the certificate's validity, in seconds since 2001.
        let early = try home.ask(["anchors": [try home.files.certificate("root")], "date": 0.0])
        #expect(early.status == -67819)
    }

    /// The client first sends only some of many anchors.
    @Test func oneOfManyAnchorsCounts() throws {
        let others = [[String]](repeating: [SampleCertificates.root, SampleCertificates.middle], count: 6).flatMap {
            $0
        }
        let many = others + [try home.files.certificate("root")]
        let anchored = try home.ask(["anchors": many])
        #expect(anchored.status == TrustHousehold.trusted && anchored.details["count"] as? Int == 2)
        let alone = try home.ask(["anchors": others])
        #expect(alone.status == TrustHousehold.untrusted && alone.details["trusted"] as? Bool == false)
        let early = try home.ask(["anchors": many, "date": 0.0])
        #expect(early.status == -67819)
    }

    /// Keychains provide the issuers of the given certificates, found by their names, but no anchors.
    @Test func certificatesOfKeychainsStandBetween() throws {
        let probe = try home.household.silentProbe("app")
        for name in ["a", "b"] { try home.tools.require(["create-keychain", "-p", "horse", "\(name).keychain"]) }
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
        #expect(try judged(nil) == (TrustHousehold.untrusted, 1))
        #expect(try judged(["b.keychain"]) == (TrustHousehold.untrusted, 1))
        #expect(try judged(["a.keychain"]) == (TrustHousehold.trusted, 3))
        // The search list has the new keychains.
        #expect(try judged(NSNull()) == (TrustHousehold.trusted, 3))
        // A root in a keychain is not an anchor.
        #expect(try judged(["a.keychain", "b.keychain"], anchors: [SampleCertificates.past]) == (-67843, 3))
        // An option cannot make it an anchor, since another program may have stored it.
        #expect(try judged(NSNull(), anchors: [SampleCertificates.past], options: 64) == (-67843, 3))
    }

    @Test func optionsChangeWhatCounts() throws {
        let certificates = [try home.files.certificate("leaf"), try home.files.certificate("root")]
        #expect(try home.ask(["certificates": certificates]).status != TrustHousehold.trusted)
        #expect(try home.ask(["certificates": certificates, "options": 64]).status == TrustHousehold.trusted)
        let late = ["certificates": certificates, "date": 4_000_000_000.0] as [String: Any]
        #expect(try home.ask(late.merging(["options": 64]) { $1 }).status == -67818)
        #expect(try home.ask(late.merging(["options": 64 + 1 + 8]) { $1 }).status == TrustHousehold.trusted)
    }

    @Test func anExceptionIsForOneCertificate() throws {
        let excepted = try home.ask(["excepting": true])
        #expect(excepted.details["trusted"] as? Bool == false)
        #expect(excepted.details["isExcepted"] as? Bool == true && excepted.details["trustedThen"] as? Bool == true)
    }

    @Test func aPersonTrustsACompanysRoot() throws {
        try home.setPasscode()
        #expect(try home.ask().status == TrustHousehold.untrusted)
        try home.tools.requireTyping(["add-trusted-cert", home.files.path("root")])
        let trusted = try home.ask()
        #expect(trusted.status == TrustHousehold.trusted && trusted.details["result"] as? Int == Self.proceed)
        #expect(try home.ask(["anchors": [String](), "only": true]).status == TrustHousehold.untrusted)
        let shown = try home.tools.tool(["dump-trust-settings"])
        #expect(shown.status == 0 && shown.output.first == "Number of trusted certs = 1", "\(shown.output)")
        #expect(shown.output.contains("Cert 0: Example Root"))
        let verified = try home.tools.tool([
            "verify-cert", "-c", home.files.path("leaf"), "-p", "ssl", "-n", AuthorityFiles.host,
        ])
        #expect(
            verified.status == 0 && verified.output == ["...certificate verification successful."], "\(verified.output)"
        )
        let other = try home.tools.tool([
            "verify-cert", "-c", home.files.path("leaf"), "-p", "ssl", "-n", "other.example.com",
        ])
        #expect(other.status == 1, "\(other.output)")
        try home.tools.requireTyping(["remove-trusted-cert", home.files.path("root")])
        #expect(try home.ask().status == TrustHousehold.untrusted)
        #expect(try home.tools.tool(["remove-trusted-cert", home.files.path("root")]).status != 0)
    }

    /// The verb finds intermediate certificates in the named keychains or in those of the search list.
    @Test func issuersOfKeychainsStandBetween() throws {
        try home.setPasscode()
        try home.tools.requireTyping(["add-trusted-cert", home.files.path("root")])
        let chain = try home.files.chain()
        let leaf = ["verify-cert", "-c", home.files.path(chain.leaf)]
        #expect(try home.tools.tool(leaf).status == 1)
        try home.tools.require(["create-keychain", "-p", "a", "a.keychain"])
        try home.tools.require(["add-certificates", "-k", "a.keychain", home.files.path(chain.issuer)])
        #expect(try home.tools.tool(leaf + ["-k", "a.keychain"]).status == 0)
        try home.tools.require(["list-keychains", "-d", "user", "-s", "a.keychain"])
        #expect(try home.tools.tool(leaf).status == 0)
        #expect(try home.tools.tool(leaf + ["-N"]).status == 1 && home.tools.tool(leaf + ["-n"]).status == 1)
        #expect(try home.tools.tool(leaf + ["-k", "b.keychain"]).status != 0)
        // An option lets an issuer be the first certificate.
        let issuer = ["verify-cert", "-c", home.files.path(chain.issuer)]
        let refused = try home.tools.tool(issuer)
        #expect(refused.status == 1 && refused.output.contains { $0.contains("-l") }, "\(refused.output)")
        #expect(try home.tools.tool(issuer + ["-l"]).status == 0)
        #expect(try home.tools.tool(["verify-cert", "-c", home.files.path("root")]).status == 0)
        let shown = try home.tools.tool(leaf + ["-t"])
        #expect(shown.status == 0 && shown.output.filter { $0.hasPrefix("subject ") }.count == 3, "\(shown.output)")
    }

    /// Many large certificates with the issuer's name do not hide the right one from the command or a program.
    @Test func manyLargeIssuersKeepNobodyFromTheirs() throws {
        try home.setPasscode()
        try home.tools.requireTyping(["add-trusted-cert", home.files.path("root")])
        let chain = try home.files.chain()
        try home.files.large("large", subject: "Between", bytes: 50_000)
        try home.files.copies(of: "large", count: 26, in: "copies")
        try home.tools.require(["create-keychain", "-p", "a", "a.keychain"])
        try home.tools.require(["add-certificates", "-k", "a.keychain", home.files.path("copies")])
        try home.tools.require(["add-certificates", "-k", "a.keychain", home.files.path(chain.issuer)])
        let tool = try home.tools.tool(["verify-cert", "-c", home.files.path(chain.leaf), "-k", "a.keychain"])
        #expect(tool.status == 0, "\(tool.output)")
        let question: [String: Any] = [
            "certificates": [try home.files.certificate(chain.leaf)], "policy": "basic", "keychains": ["a.keychain"],
        ]
        let program = try home.household.probe("app").ask(question.merging(["call": "trust"]) { $1 })
        #expect(program.status == TrustHousehold.trusted)
    }

    /// Options set the moment and the side, and print each certificate's result.
    @Test func optionsOfVerifyCertCount() throws {
        let words = [
            "verify-cert", "-c", home.files.path("leaf"), "-r", home.files.path("root"), "-p", "ssl", "-s",
            AuthorityFiles.host,
        ]
        func verify(_ more: String...) throws -> (status: Int32, output: [String]) {
            try home.tools.tool(words + more)
        }
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.dateFormat = "yyyy-MM-dd"
        func day(_ number: Double) -> String { formatter.string(from: Date(timeIntervalSinceNow: number * 86_400)) }
        #expect(try verify("-d", day(30)).status == 0)
        #expect(try verify("-d", "\(day(30))-12:00:00").status == 0)
        for late in [day(200), day(-200)] {
            let refused = try verify("-d", late)
            #expect(refused.status == 1 && refused.output.first?.hasPrefix("Cert Verify Result: ") == true, "\(late)")
        }
        #expect(try verify("-d", "yesterday").status == 2)
        #expect(try verify("-q") == (0, []))
        let chain = try verify("-P", "-q")
        #expect(chain.output.filter { $0 == "-----BEGIN CERTIFICATE-----" }.count == 2, "\(chain)")
        let text = try String(contentsOfFile: home.files.path("leaf"), encoding: .utf8)
        #expect(chain.output.joined(separator: "\n").hasPrefix(text.trimmingCharacters(in: .newlines)))
        let shown = try verify("-v", "-q", "-d", day(200))
        #expect(shown.output.contains("Cert 0: leaf") && shown.output.contains("Cert 1: Example Root"), "\(shown)")
        let defect = try #require(shown.output.firstIndex(of: "Cert 0: leaf")) + 1
        #expect(shown.output[defect].hasPrefix("      "), "\(shown)")
        // The certificate is for servers, not for clients.
        #expect(try verify("-C").status == 1)
    }

    /// Settings in a file do not count until they are imported.
    @Test func settingsGoIntoAFile() throws {
        try home.setPasscode()
        let file = "\(home.household.home)/settings.plist"
        try home.tools.require(["add-trusted-cert", "-p", "ssl", "-o", file, home.files.path("root")])
        #expect(try home.tools.tool(["dump-trust-settings"]).status != 0)
        try home.tools.require(["add-trusted-cert", "-r", "deny", "-i", file, "-o", file, home.files.path("leaf")])
        try home.tools.requireTyping(["trust-settings-import", file])
        let shown = try home.tools.tool(["dump-trust-settings"])
        #expect(shown.output.first == "Number of trusted certs = 2", "\(shown.output)")
        #expect(try home.askWithRoot() == TrustHousehold.denied)
        let asRoot = ["add-trusted-cert", "-p", "ssl", "-i", file, "-o", file]
        #expect(try home.tools.tool(asRoot + [home.files.path("leaf")]).status == 1)
        try home.tools.require(asRoot + ["-r", "trustAsRoot", home.files.path("leaf")])
        try home.tools.requireTyping(["trust-settings-import", file])
        #expect(try home.ask().status == TrustHousehold.trusted)
        for words in [["-i", file], ["-d", "-o", file]] {
            #expect(
                try home.tools.tool(["add-trusted-cert"] + words + [home.files.path("root")]).status == 2, "\(words)")
        }
        let odd = "\(home.household.home)/odd.plist"
        try Data("odd".utf8).write(to: URL(fileURLWithPath: odd))
        #expect(try home.tools.tool(["add-trusted-cert", "-i", odd, "-o", file, home.files.path("root")]).status == 1)
    }

    @Test func whatIsTrustedGoesIntoAKeychain() throws {
        try home.setPasscode()
        try home.tools.require(["create-keychain", "-p", "a", "a.keychain"])
        for _ in 0..<2 {
            try home.tools.requireTyping(["add-trusted-cert", "-k", "a.keychain", home.files.path("root")])
        }
        let found = try home.tools.tool(["find-certificate", "-a", "-c", "Example", "a.keychain"])
        #expect(found.output.filter { $0.hasPrefix("class:") }.count == 1, "\(found.output)")
        #expect(try home.ask().status == TrustHousehold.trusted)
        try home.tools.requireTyping(["remove-trusted-cert", home.files.path("root")])
        #expect(try home.tools.tool(["add-trusted-cert", "-k", "none.keychain", home.files.path("root")]).status == 1)
        #expect(try home.ask().status == TrustHousehold.untrusted)
    }

    @Test func aSettingIsForWhatItSays() throws {
        try home.setPasscode()
        try home.tools.requireTyping(["add-trusted-cert", "-p", "smime", home.files.path("root")])
        #expect(try home.ask().status != TrustHousehold.trusted)
        try home.tools.requireTyping([
            "add-trusted-cert", "-p", "ssl", "-s", AuthorityFiles.host, home.files.path("root"),
        ])
        #expect(try home.ask().status == TrustHousehold.trusted)
        try home.tools.requireTyping([
            "add-trusted-cert", "-a", "\(home.household.home)/other", home.files.path("root"),
        ])
        #expect(try home.ask().status != TrustHousehold.trusted)
        try home.tools.requireTyping(["add-trusted-cert", "-a", "\(home.household.home)/app", home.files.path("root")])
        #expect(try home.ask().status == TrustHousehold.trusted)
        try home.tools.requireTyping(["add-trusted-cert", "-r", "deny", home.files.path("leaf")])
        #expect(try home.askWithRoot() == TrustHousehold.denied)
    }

    /// A program that can write the user's files can neither set trust nor undo a denial.
    @Test func aFileOfSettingsIsTheOneThatWasMade() throws {
        try home.denyLeaf()
        let folder = "\(home.household.home)/state/identity"
        let name = try #require(
            try FileManager.default.contentsOfDirectory(atPath: folder).first { $0.hasPrefix("trust-") })
        #expect(try home.tools.tool(["status"]).status == 0)
        home.household.dismiss()
        try FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        #expect(try home.askWithRoot() == TrustHousehold.unknown)
        #expect(try home.tools.tool(["dump-trust-settings"]).status != 0)
        try home.tools.require(["remove-trusted-cert", "-a"])
        #expect(try home.askWithRoot() == TrustHousehold.trusted)
    }

    /// Without a passcode, no person can be proved, so trust is refused.
    ///
    /// A denial is still set and removed.
    @Test func withoutAPasscodeNobodyAddsARoot() throws {
        let refused = try home.tools.tool(["add-trusted-cert", home.files.path("root")])
        #expect(refused.status == 1 && refused.output.contains { $0.contains("security passcode set") }, "\(refused)")
        let probe = try home.household.probe("app")
        let settings: [String: Any] = [
            "call": "SecTrustSettings", "function": "SetTrustSettings",
            "certificate": try home.files.certificate("root"),
        ]
        #expect(try probe.ask(settings).status == -25293)
        let file = "\(home.household.home)/settings.plist"
        try home.tools.require(["add-trusted-cert", "-o", file, home.files.path("root")])
        #expect(try home.tools.tool(["trust-settings-import", file]).status == 1)
        #expect(try home.ask().status == TrustHousehold.untrusted)
        try home.denyLeaf()
        #expect(try home.askWithRoot() == TrustHousehold.denied)
        // A denied certificate cannot be made trusted either.
        #expect(try home.tools.tool(["add-trusted-cert", "-r", "trustAsRoot", home.files.path("leaf")]).status == 1)
        #expect(try home.askWithRoot() == TrustHousehold.denied)
        try home.tools.require(["remove-trusted-cert", home.files.path("leaf")])
        #expect(try home.askWithRoot() == TrustHousehold.trusted)
    }

    @Test func wherePasscodeIsItIsAskedFor() throws {
        try home.setPasscode()
        let refused = try home.tools.tool(["add-trusted-cert", home.files.path("root")])
        #expect(refused.status != 0)
        #expect(try home.ask().status == TrustHousehold.untrusted)
    }
}
