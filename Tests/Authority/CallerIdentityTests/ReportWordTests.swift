import ChatelaineModel
import Testing

@testable import CallerIdentity

/// The words by which `security status` says who asks (`wire.md`).
@Suite struct ReportWordTests {
    @Test func tablesStay() {
        #expect(Assurance.allCases.map(\.rawValue) == ["kernel", "file", "shared", "degraded"])
        let states: [ApplicationState] = [.rootOnly, .development, .unknown, .pinned, .changed]
        #expect(states.map(\.rawValue) == ["rootOnly", "development", "unknown", "pinned", "changed"])
    }

    /// Neither a good channel makes a shared program one of its own, nor a good program a poor channel sure.
    @Test func assuranceIsBoundedByWhatItWasHeardThrough() {
        #expect(Assurance.allCases.sorted() == [.shared, .degraded, .file, .kernel])
        for assurance in Assurance.allCases {
            for channel in Assurance.allCases {
                let bounded = assurance.bounded(by: channel)
                #expect(bounded <= assurance && bounded <= channel && (bounded == assurance || bounded == channel))
            }
        }
    }
}
