import Foundation
import TestSupport
import Testing

/// Tests of `SecTrustSettings` with the real daemons (behaviour/trust.md).
@Suite struct TrustSettingsTests {
    private enum Status {
        static let (done, param, authFailed, itemNotFound) = (0, -50, -25293, -25300)
        static let (invalid, none, notModifiable) = (-25262, -25263, -25317)
    }

    private static let (admin, system) = (1, 2)

    private let asking: AskingHousehold
    private let household: Household
    private let program: String
    private let probe: ProbeProcess
    private let files: AuthorityFiles

    init() throws {
        // Root's own trust settings are those of the machine.
        asking = try AskingHousehold(
            "/usr/bin/pinentry-tty", hasPasscode: false, uid: geteuid() == 0 ? Privilege.user(94) : geteuid())
        household = asking.household
        try Developers(in: household).setPasscode()
        files = try AuthorityFiles(in: household.home)
        program = try household.application("app")
        probe = try household.probe("app")
    }

    private func command(
        _ function: String, _ certificate: String?, _ more: [String: Any]
    ) throws -> [String: Any] {
        var command: [String: Any] = ["call": "SecTrustSettings", "function": function]
        if let certificate { command["certificate"] = try files.certificate(certificate) }
        return command.merging(more) { $1 }
    }

    private func settings(
        _ function: String, _ certificate: String? = "root", _ more: [String: Any] = [:]
    ) throws -> ProbeAnswer { try probe.ask(try command(function, certificate, more)) }

    /// Makes a call in another process of the program, and the person allows it.
    private func allowed(
        _ function: String, _ certificate: String? = "root", _ more: [String: Any] = [:]
    ) throws -> Int? {
        try asking.answers(of: program, to: [try command(function, certificate, more)]) {
            try asking.type(Household.passcode)
        }.first?.status
    }

    private func verdict() throws -> Int {
        try probe.ask([
            "call": "trust", "certificates": [try files.certificate("leaf")], "host": AuthorityFiles.host,
        ]).status
    }

    @Test func whatIsSetIsCopied() throws {
        #expect(try settings("CopyCertificates", nil).status == Status.none)
        #expect(try settings("CopyTrustSettings").status == Status.itemNotFound)
        #expect(try settings("RemoveTrustSettings").status == Status.itemNotFound)
        let before = Date().timeIntervalSinceReferenceDate.rounded(.down)
        #expect(try allowed("SetTrustSettings") == Status.done)
        #expect(try verdict() == Status.done)
        let all = try #require(try settings("CopyCertificates", nil).array)
        #expect(all.map { $0["data"] as? String } == [try files.certificate("root")])
        #expect((try settings("CopyTrustSettings").result as? [Any])?.isEmpty == true)
        let date = try #require(try settings("CopyModificationDate").dictionary?["date"] as? Double)
        #expect(date >= before)
        #expect(try settings("CopyTrustSettings", "leaf").status == Status.itemNotFound)
        #expect(try allowed("RemoveTrustSettings") == Status.done)
        #expect(try settings("CopyCertificates", nil).status == Status.none)
        #expect(try verdict() != Status.done)
    }

    @Test func everyKeyIsCopiedAsItWasSet() throws {
        let given: [String: Any] = [
            "policy": true, "application": "\(household.home)/app",
            "kSecTrustSettingsPolicyString": AuthorityFiles.host,
            "kSecTrustSettingsAllowedError": -67818, "kSecTrustSettingsKeyUsage": 8, "kSecTrustSettingsResult": 1,
        ]
        #expect(try allowed("SetTrustSettings", "root", ["settings": given]) == Status.done)
        let copied = try #require(try settings("CopyTrustSettings").array?.first)
        #expect(copied["kSecTrustSettingsPolicy"] as? String == "1.2.840.113635.100.1.3")
        #expect(copied["kSecTrustSettingsPolicyString"] as? String == AuthorityFiles.host)
        #expect((copied["kSecTrustSettingsApplication"] as? String)?.hasSuffix("/app>") == true)
        #expect(copied["kSecTrustSettingsAllowedError"] as? Int == -67818)
        #expect(copied["kSecTrustSettingsKeyUsage"] as? Int == 8 && copied["kSecTrustSettingsResult"] as? Int == 1)
        // The first setting that concerns an evaluation decides it.
        let several: [[String: Any]] = [
            ["policy": true, "kSecTrustSettingsResult": 3], ["kSecTrustSettingsResult": 1],
        ]
        #expect(try allowed("SetTrustSettings", "root", ["settings": several]) == Status.done)
        #expect(try settings("CopyTrustSettings").array?.map { $0["kSecTrustSettingsResult"] as? Int } == [3, 1])
        #expect(try verdict() != Status.done)
        // A policy's host limits the setting to that host, unless the setting names another.
        for (policy, text, name) in [
            ("a.example", nil, "a.example"), ("a.example", AuthorityFiles.host, AuthorityFiles.host),
        ]
            as [(String, String?, String)]
        {
            var named: [String: Any] = ["policy": policy]
            named["kSecTrustSettingsPolicyString"] = text
            #expect(try allowed("SetTrustSettings", "root", ["settings": named]) == Status.done)
            #expect(
                try settings("CopyTrustSettings").array?.first?["kSecTrustSettingsPolicyString"] as? String == name)
            #expect(try (verdict() == Status.done) == (name == AuthorityFiles.host))
        }
        #expect(try allowed("SetTrustSettings", "root", ["settings": several]) == Status.done)
        // Unknown parts are refused, since ignoring one would make the setting count for more than it says.
        for wrong: [String: Any] in [["x": 1], ["kSecTrustSettingsPolicyString": 1], ["kSecTrustSettingsResult": "1"]] {
            #expect(try settings("SetTrustSettings", "root", ["settings": wrong]).status == Status.param)
        }
        for number in [0, 5, 300] {
            let wrong = ["kSecTrustSettingsResult": number]
            #expect(try settings("SetTrustSettings", "root", ["settings": wrong]).status == Status.invalid)
        }
        #expect(try settings("CopyTrustSettings").array?.count == 2)
    }

    /// Only what issued itself is trusted as a root, and everything else as if it were one.
    @Test func aResultIsForItsCertificates() throws {
        let (root, asRoot) = (["kSecTrustSettingsResult": 1], ["kSecTrustSettingsResult": 2])
        for settings in [nil, ["policy": true], root, [["kSecTrustSettingsResult": 3], root]] as [Any?] {
            var more: [String: Any] = [:]
            more["settings"] = settings
            #expect(try self.settings("SetTrustSettings", "leaf", more).status == Status.param)
        }
        #expect(try settings("SetTrustSettings", "root", ["settings": asRoot]).status == Status.param)
        #expect(try settings("CopyCertificates", nil).status == Status.none)
        #expect(try allowed("SetTrustSettings", "leaf", ["settings": asRoot]) == Status.done)
        #expect(try verdict() == Status.done)
    }

    @Test func othersDomainsAreOthersToChange() throws {
        let admin = ["domain": Self.admin]
        #expect(try settings("SetTrustSettings", "root", admin).status == Status.authFailed)
        #expect(try settings("RemoveTrustSettings", "root", admin).status == Status.authFailed)
        let system = ["domain": Self.system]
        #expect(try settings("SetTrustSettings", "root", system).status == Status.notModifiable)
        #expect(try settings("RemoveTrustSettings", "root", system).status == Status.notModifiable)
        #expect(try settings("CopyTrustSettings", "root", system).status == Status.itemNotFound)
    }

    @Test func aPropertyListTakesThePlaceOfAll() throws {
        #expect(try settings("CreateExternalRepresentation", nil).status == Status.none)
        let deny = ["settings": ["policy": true, "kSecTrustSettingsResult": 3] as [String: Any]]
        #expect(try allowed("SetTrustSettings", "leaf", deny) == Status.done)
        #expect(try allowed("SetTrustSettings") == Status.done)
        let date = try settings("CopyModificationDate").dictionary?["date"] as? Double
        let data = try #require(try settings("CreateExternalRepresentation", nil).data)
        var list = try #require(
            try PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
        #expect(list["trustVersion"] as? Int == 1)
        var entries = try #require(list["trustList"] as? [String: [String: Any]])
        #expect(
            entries.count == 2 && entries.values.allSatisfy { $0["issuerName"] is Data && $0["serialNumber"] is Data })
        let denied = try #require(entries.values.first { ($0["trustSettings"] as? [Any])?.isEmpty == false })
        let setting = try #require((denied["trustSettings"] as? [[String: Any]])?.first)
        #expect(setting["kSecTrustSettingsPolicy"] as? Data == Data([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x63, 0x64, 1, 3]))
        #expect(try allowed("RemoveTrustSettings", "leaf") == Status.done)
        let importation = ["data": data.base64EncodedString()]
        #expect(try allowed("ImportExternalRepresentation", nil, importation) == Status.done)
        #expect(try settings("CopyCertificates", nil).array?.count == 2)
        #expect(try settings("CopyModificationDate").dictionary?["date"] as? Double == date)
        #expect(try settings("CopyTrustSettings", "leaf").array?.first?["kSecTrustSettingsResult"] as? Int == 3)

        // macOS writes the file without certificates, which the keychain finds by their digests.
        for name in entries.keys { entries[name]?["certificate"] = nil }
        list["trustList"] = entries
        let withoutThem = try PropertyListSerialization.data(fromPropertyList: list, format: .xml, options: 0)
        let bare = ["data": withoutThem.base64EncodedString()]
        for name in ["root", "leaf"] { #expect(try allowed("RemoveTrustSettings", name) == Status.done) }
        #expect(try settings("ImportExternalRepresentation", nil, bare).status == Status.itemNotFound)
        for name in ["root", "leaf"] {
            let object = ["certificate": try files.certificate(name)]
            #expect(try probe.ask(["call": "add", "query": ["v_Ref": object]]).status == Status.done)
        }
        #expect(try allowed("ImportExternalRepresentation", nil, bare) == Status.done)
        #expect(try settings("CopyCertificates", nil).array?.count == 2)
    }

    /// A file is imported completely or not at all, so that no denial in it is lost.
    @Test func whatIsNotUnderstoodIsNotTakenOver() throws {
        #expect(try allowed("SetTrustSettings") == Status.done)
        let data = try #require(try settings("CreateExternalRepresentation", nil).data)
        let text = String(decoding: data, as: UTF8.self)
        let wrong = [
            "", "no list", text.replacingOccurrences(of: "trustVersion", with: "version"),
            text.replacingOccurrences(of: "<integer>1</integer>", with: "<integer>2</integer>"),
            text.replacingOccurrences(of: "MIIB", with: "MIIC"),
            text.replacingOccurrences(
                of: "<array/>", with: "<array><dict><key>kSecTrustSettingsNew</key><true/></dict></array>"),
            text.replacingOccurrences(
                of: "<array/>",
                with: "<array><dict><key>kSecTrustSettingsPolicy</key><data>KoZIhvdjZAFj</data></dict></array>"),
        ]
        for text in wrong {
            #expect(text != String(decoding: data, as: UTF8.self))
            let answer = try settings(
                "ImportExternalRepresentation", nil, ["data": Data(text.utf8).base64EncodedString()])
            #expect(answer.status == Status.invalid, "\(text)")
        }
        #expect(try settings("CopyCertificates", nil).array?.count == 1)
    }

    @Test func programsHearOfChanges() throws {
        let hearer = try household.probe("hearer")
        let adding: [String: Any] = ["call": "SecKeychainCallback", "function": "Add", "mask": 1 << 12]
        #expect(try hearer.ask(adding).status == 0)
        let change = [["call": "pid"], try command("SetTrustSettings", "root", [:])]
        let answers = try asking.answers(of: program, to: change) { try asking.type(Household.passcode) }
        #expect(answers.last?.status == Status.done)
        let heard = try hearer.ask(["call": "SecKeychainCallback", "function": "Run", "count": 1]).array
        #expect(heard?.map { $0["event"] as? Int } == [12])
        #expect(heard?.first?["pid"] as? Int == (answers.first?.result as? Int))
    }

    @Test func theCommandExportsAndImports() throws {
        let tools = try Developers(in: household)
        let file = "\(household.home)/settings.plist"
        #expect(try tools.tool(["trust-settings-export", file]).status == 1)
        try tools.requireTyping(["add-trusted-cert", files.path("root")])
        try tools.require(["trust-settings-export", file])
        try tools.requireTyping(["remove-trusted-cert", files.path("root")])
        #expect(try verdict() != Status.done)
        try tools.requireTyping(["trust-settings-import", file])
        #expect(try verdict() == Status.done)
        #expect(try tools.tool(["trust-settings-import", files.path("root")]).status == 1)
        #expect(try tools.tool(["trust-settings-import", "-d", file]).status == 1)
        #expect(try verdict() == Status.done)
        for words in [
            ["trust-settings-export"], ["trust-settings-import"], ["trust-settings-export", "-s", "-d", "x"],
        ] {
            #expect(try tools.tool(words).status == 2)
        }
        let shown = try tools.tool(["user-trust-settings-enable"])
        #expect(shown.status == 0 && shown.output == ["User-level Trust Settings are Enabled"])
        #expect(try tools.tool(["user-trust-settings-enable", "-d"]).status == 1)
        #expect(try tools.tool(["user-trust-settings-enable", "-d", "-e"]).status == 2)
    }
}

/// Tests that a dialog asks for the passcode, if there is one, before a setting changes.
@Suite struct TrustSettingsAskingTests {
    @Test func thePasscodeIsAskedFor() throws {
        // Root has no settings of its own.
        let asking = try AskingHousehold(
            "/usr/bin/pinentry-tty", hasPasscode: false, uid: geteuid() == 0 ? Privilege.user(94) : geteuid())
        try Developers(in: asking.household).setPasscode()
        let files = try AuthorityFiles(in: asking.household.home)
        let program = try asking.household.application("app")
        let base: [String: Any] = ["call": "SecTrustSettings", "certificate": try files.certificate("root")]
        func call(_ function: String) -> [String: Any] { base.merging(["function": function]) { $1 } }
        let question: [String: Any] = [
            "call": "trust", "certificates": [try files.certificate("leaf")], "host": AuthorityFiles.host,
        ]
        let trusted = try asking.answers(of: program, to: [call("SetTrustSettings"), question]) {
            try asking.terminal.expect("/app")
            try asking.terminal.expect("wants a certificate to be trusted")
            try asking.terminal.expect("Certificate:")
            // A certificate's own name cannot take the place of this word.
            try asking.terminal.expect("trusted: Example Root")
            try asking.type("mistyped")
            try asking.type(Household.passcode)
        }
        #expect(trusted.map(\.status) == [0, 0])
        let removed = try asking.answers(of: program, to: [call("RemoveTrustSettings"), question]) {
            try asking.terminal.expect("change which certificates are trusted")
            try asking.type(Household.passcode)
        }
        #expect(removed.first?.status == 0 && removed.last?.status != 0)
        let deny: [String: Any] = ["settings": ["kSecTrustSettingsResult": 3]]
        let denied = try asking.answers(of: program, to: [call("SetTrustSettings").merging(deny) { $1 }]) {
            try asking.terminal.expect("change which certificates are trusted")
            try asking.terminal.expect("denied: Example Root")
            try asking.type(Household.passcode)
        }
        #expect(denied.map(\.status) == [0])
        let released = try asking.answers(of: program, to: [call("RemoveTrustSettings")]) {
            try asking.terminal.expect("wants a certificate to be trusted")
            try asking.terminal.expect("denied no more: Example Root")
            try asking.type(Household.passcode)
        }
        #expect(released.map(\.status) == [0])
        // An imported list shows the person every root that it would make trusted.
        let certificate = try files.certificate("root")
        let digest = try files.digest("root")
        let list = """
            <?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict><key>trustVersion</key><integer>1</integer>
            <key>trustList</key><dict><key>\(digest)</key><dict><key>certificate</key><data>\(certificate)</data></dict></dict>
            </dict></plist>
            """
        let importation: [String: Any] = [
            "call": "SecTrustSettings", "function": "ImportExternalRepresentation",
            "data": Data(list.utf8).base64EncodedString(),
        ]
        let imported = try asking.answers(of: program, to: [importation, call("RemoveTrustSettings")]) {
            try asking.terminal.expect("wants a certificate to be trusted")
            try asking.terminal.expect("1 trusted, 1 set in place of all others: Example Root")
            try asking.type(Household.passcode)
            try asking.terminal.expect("nothing set any more for: Example Root")
            try asking.type(Household.passcode)
        }
        #expect(imported.map(\.status) == [0, 0])
        // No dialog asks about a change that is impossible.
        let absent = try asking.answers(of: program, to: [call("RemoveTrustSettings")])
        #expect(absent.map(\.status) == [-25300])
        let forbidding: [String: Any] = [
            "call": "SecKeychain", "function": "SetUserInteractionAllowed", "state": false,
        ]
        let forbidden = try asking.answers(of: program, to: [forbidding, call("SetTrustSettings")])
        #expect(forbidden.last?.status == -25308)
        let wrong = try asking.answers(of: program, to: [call("SetTrustSettings"), question]) {
            for _ in 0..<3 { try asking.type("mistyped") }
        }
        #expect(wrong.first?.status == -25293 && wrong.last?.status != 0)
        try asking.awaitNoAgent()
    }
}
