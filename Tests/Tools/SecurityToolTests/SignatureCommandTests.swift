import ChatelaineIPC
import ChatelaineModel
import Foundation
import TestSupport
import Testing

@testable import SecurityTool

/// Tests of `security app team`, `show` and `verify`, and of what doctor says about signatures.
struct SignatureCommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func teamsAreListed() throws {
        let run = ToolRun(["app", "team", "list"])
        #expect(run.exitStatus == 0)
        #expect(
            run.text == """
                TEAM        SAID BY  ANCHOR            EXPIRES               SUBJECT
                ABCDE12345  you      cdcdcdcdcdcdcdcd  2033-05-18T03:33:20Z  OU=ABCDE12345
                ZZZZZ99999  root     -                 -                     counts for nothing: it is a symbolic link

                """)
        let json = try JSONSerialization.jsonObject(with: Data(ToolRun(["app", "team", "list", "--json"]).output))
        let teams = try #require(json as? [[String: Any]])
        #expect(teams.map { $0["team"] as? String } == ["ABCDE12345", "ZZZZZ99999"])
        #expect(teams[0]["anchor"] as? String == String(repeating: "cd", count: 32))
        #expect(teams[1]["problem"] as? String == "it is a symbolic link")
    }

    @Test func anAnchorIsReadFromItsFile() throws {
        TemporaryFolder.write(folder("anchor.pem"), Array("certificate".utf8))
        let keychain = FakeKeychain()
        let run = ToolRun(["app", "team", "add", folder("anchor.pem"), "--team", "ABCDE12345"], keychain: keychain)
        #expect(run.exitStatus == 0)
        guard case .teams(.add(let certificate, let team))? = keychain.last else {
            Issue.record("nothing was added")
            return
        }
        #expect(certificate == Array("certificate".utf8) && team?.text == "ABCDE12345")
        let removal = ToolRun(["app", "team", "remove", "ABCDE12345"], keychain: keychain)
        #expect(removal.exitStatus == 0)
        #expect(removal.text.hasPrefix("The anchor that you had added for team ABCDE12345 is removed: OU=ABCDE12345\n"))
        #expect(!removal.text.contains("SAID BY"), "that is the table of teams that count")
        guard case .teams(.remove(let removed))? = keychain.last else {
            Issue.record("nothing was removed")
            return
        }
        #expect(removed.text == "ABCDE12345")
    }

    /// The command does not wait for a pipe, and does not ask about a name that is no team.
    @Test func whatIsNoCertificateIsRefused() throws {
        try #require(mkfifo(folder("pipe"), 0o600) == 0)
        TemporaryFolder.write(folder("large"), [UInt8](repeating: 1, count: SignatureLimits.maximumAnchorBytes + 1))
        for path in ["/nonexistent", folder("pipe"), folder("large"), folder.path] {
            let keychain = FakeKeychain()
            #expect(ToolRun(["app", "team", "add", path], keychain: keychain).exitStatus == 1, "\(path)")
            #expect(keychain.last == nil)
        }
        for team in ["abcde12345", "ABC", "ABCDE1234Ä", ""] {
            #expect(ToolRun(["app", "team", "remove", team]).exitStatus == 2, "\(team)")
        }
    }

    /// A command that widens access takes the passcode if there is one.
    @Test func teamsTakeThePasscode() throws {
        TemporaryFolder.write(folder("anchor.pem"), [1])
        for words in [["add", folder("anchor.pem")], ["remove", "ABCDE12345"]] {
            let keychain = FakeKeychain()
            keychain.report.withLock { $0.hasPasscode = true }
            let run = ToolRun(["app", "team"] + words + ["--stdin"], keychain: keychain, input: Array("right\n".utf8))
            #expect(run.exitStatus == 0)
            #expect(keychain.given.withLock { $0.last??.count } == 5)
        }
    }

    @Test func aSentenceForEach() {
        #expect(
            ToolRun(["app", "show", "/bin/sh"]).text == """
                /opt/mail is ABCDE12345.mail of team ABCDE12345.
                Its signature /opt/mail.codesig counts until 2033-05-18T03:33:20Z, by the anchor that you have added for that team (assurance: file).
                It has 3 access groups, the default one first: ABCDE12345.shared (keychain-access-groups), ABCDE12345.mail (application-identifier), group.mail (com.apple.security.application-groups).

                """)
        let keychain = FakeKeychain()
        keychain.isSigned.withLock { $0 = false }
        let run = ToolRun(["app", "show", "/bin/sh"], keychain: keychain)
        #expect(
            run.text == """
                /opt/mail is refused: it has a signature, and that does not count.
                The signature /opt/mail.codesig has expired: sign the program again (\(Printable.text("a\u{1B}[2J"))).

                """)
        #expect(!run.text.contains("\u{1B}"))
    }

    @Test func everyStateHasItsSentence() throws {
        var seen: Set<String> = []
        for state in ApplicationState.allCases {
            let sentences = ApplicationSentences(application: FakeKeychain.program(state))
            #expect(sentences.who.hasPrefix("/opt/mail ") && sentences.who.hasSuffix("."))
            seen.insert(sentences.who)
        }
        #expect(seen.count == ApplicationState.allCases.count)
        let json = try JSONSerialization.jsonObject(with: Data(ToolRun(["app", "show", "/bin/sh", "--json"]).output))
        let program = try #require(json as? [String: Any])
        #expect(program["state"] as? String == "signed" && program["team"] as? String == "ABCDE12345")
        #expect((program["groups"] as? [[String: String]])?.first?["name"] == "ABCDE12345.shared")
    }

    @Test func whatBecameOfItIsTold() throws {
        var program = FakeKeychain.program(.signed)
        program.adoption = .init(group: "ABCDE12345.mail", date: 1_700_000_000)
        program.change = .init(
            former: try #require(Bytes32([UInt8](repeating: 1, count: 32))), digest: program.digest, date: 1_700_000_000
        )
        let lines = Array(ApplicationSentences(application: program).lines.suffix(2))
        let expected = [
            "What it stored before it was signed is with ABCDE12345.mail since 2023-11-14T22:13:20Z; "
                + "`security app adopt --return /opt/mail` brings it back.",
            "On 2023-11-14T22:13:20Z its file abababababababab… took the place of 0101010101010101…, "
                + "as somebody here has said.",
        ]
        #expect(lines == expected)
    }

    @Test func verifyingIsAnExitStatus() {
        let keychain = FakeKeychain()
        #expect(ToolRun(["app", "verify", "/bin/sh"], keychain: keychain).exitStatus == 0)
        keychain.isSigned.withLock { $0 = false }
        let run = ToolRun(["app", "verify", "/bin/sh"], keychain: keychain)
        #expect(run.exitStatus == 1 && run.output.isEmpty && run.errors.contains("has expired"))
        #expect(ToolRun(["app", "verify", "/nonexistent"], keychain: keychain).exitStatus == 1)
    }

    @Test func doctorLooksAtTeams() {
        let day: Int64 = 86_400
        var team = FakeKeychain.team()
        let until = team.validUntil
        for (now, level) in [
            (until - 31 * day, Finding.Level.ok), (until - 29 * day, .degraded), (until + 1, .degraded),
        ] {
            let findings = TeamChecks(now: now).findings([team])
            #expect(findings.map(\.level) == [level] && (findings[0].remedy == "") == (level == .ok))
        }
        team.problem = "it cannot be read"
        let findings = TeamChecks(now: until - 31 * day).findings([team, FakeKeychain.team("ZZZZZ99999")])
        #expect(findings.map(\.name) == ["signatures.team"] && findings[0].text.contains("it cannot be read"))
        #expect(TeamChecks(now: until).findings([]).isEmpty)
    }

    @Test func doctorSaysWhenNoSignatureCounts() {
        var report = DaemonReport()
        #expect(TeamChecks.ofRoot(report).isEmpty)
        report.add("signatures.problem", "line 3 of /etc/chatelaine/revoked is not understood")
        report.add("signatures.folder", "/etc/chatelaine/signatures is a symbolic link")
        let findings = TeamChecks.ofRoot(report)
        #expect(findings.map(\.level) == [.problem, .problem])
        #expect(findings.map(\.name) == ["signatures.revoked", "signatures.folder"])
    }
}
