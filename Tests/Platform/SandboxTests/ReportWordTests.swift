import Sandbox
import Testing

/// Numbers between the daemons (`enclave-protocol.md`) and words in reports (`wire.md`).
@Suite struct ReportWordTests {
    @Test func tablesStay() {
        #expect(SandboxState.Level.allCases.map(\.rawValue) == [1, 2, 3, 4])
        #expect(SandboxState.Level.allCases.map(\.word) == ["on", "off", "impossible", "refused"])
        #expect(
            SandboxMeasure.allCases.map(\.rawValue) == [
                "calls", "files", "privileges", "dumping", "limits", "memory",
            ])
    }
}
