import Sandbox
import Testing

/// The numbers between the daemons (`enclave-protocol.md`) and the words in reports (`wire.md`) never change.
@Suite struct ReportWordTests {
    @Test func tablesStay() {
        #expect(SandboxState.Level.allCases.map(\.rawValue) == [1, 2, 3, 4])
        #expect(
            SandboxMeasure.allCases.map(\.rawValue) == [
                "calls", "files", "privileges", "dumping", "limits", "memory",
            ])
    }
}
