import ChatelaineSystem
import Sandbox
import Testing

/// The numbers between the daemons (`enclave-protocol.md`) and the words in reports (`wire.md`) never change.
@Suite struct ReportWordTests {
    @Test func tablesStay() {
        #expect(SandboxLevel.allCases.map(\.rawValue) == [1, 2, 3, 4])
        #expect(SandboxLevel.allCases.map(\.word) == ["on", "off", "impossible", "refused"])
        for level in SandboxLevel.allCases { #expect(SandboxLevel(word: level.word) == level) }
        #expect(SandboxLevel(word: "On") == nil)
        #expect(
            SandboxMeasure.allCases.map(\.rawValue) == [
                "calls", "files", "privileges", "dumping", "limits", "memory",
            ])
    }
}
