import ChatelaineIPC
import Testing

@testable import SecurityTool

/// Tests of `security settings`.
struct SettingsCommandTests {
    @Test func aTimeIsSetAndShown() throws {
        let keychain = FakeKeychain()
        let shown = ToolRun(["settings"], keychain: keychain)
        #expect(shown.exitStatus == 0 && shown.text == "idle lock  never\n")
        #expect(ToolRun(["settings", "--idle-lock", "900"], keychain: keychain).text == "")
        guard case .settings(.setIdleTimeout(900))? = keychain.last else {
            Issue.record("nothing was set")
            return
        }
        #expect(ToolRun(["settings"], keychain: keychain).text == "idle lock  15 min 0 s\n")
        #expect(ToolRun(["settings", "--json"], keychain: keychain).text == "{\"idleLockSeconds\":900}\n")
    }

    @Test func whatIsNoTimeIsRefused() {
        for words in [["-1"], ["never"], ["5000000000"], ["1.5"], []] {
            #expect(ToolRun(["settings", "--idle-lock"] + words, keychain: FakeKeychain()).exitStatus == 2, "\(words)")
        }
    }

    /// A system event that cannot be heard is a degradation only if there is something to lock.
    @Test func doctorSaysHowMuchIsHeard() {
        for hearing in SystemHearing.allCases {
            for passcode in PasscodePresence.allCases {
                var report = DaemonReport()
                report.add("device.passcode", passcode)
                report.add("device.events", hearing.word)
                let findings = DeviceChecks.findings(report)
                #expect(findings.map(\.name) == ["device.events"])
                #expect((findings.first?.level == .ok) == (hearing == .complete || passcode == .none), "\(hearing)")
                #expect((findings.first?.remedy == "") == (findings.first?.level == .ok))
            }
        }
    }

    @Test func doctorSaysWhatBecameOfACredential() {
        for outcome in CredentialOutcome.allCases {
            var report = DaemonReport()
            report.add("device.credential", outcome)
            #expect(DeviceChecks.findings(report).map(\.level) == [outcome == .unlocked ? .ok : .degraded])
        }
    }
}
