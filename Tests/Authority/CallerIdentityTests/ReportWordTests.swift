import ChatelaineModel
import Testing

@testable import CallerIdentity

/// The words with which `security status` describes the caller never change (`wire.md`).
@Suite struct ReportWordTests {
    @Test func tablesStay() {
        #expect(Assurance.allCases.map(\.rawValue) == ["kernel", "file", "shared", "degraded"])
        #expect(
            ApplicationState.allCases.map(\.word) == [
                "rootOnly", "development", "unknown", "pinned", "changed", "signed", "rejected",
            ])
        #expect(ApplicationState.allCases.map(\.rawValue) == [1, 2, 3, 4, 5, 6, 7])
        #expect([AnchorOrigin.root, .person].map(\.rawValue) == [1, 2])
    }

    /// A good channel does not improve the assurance of a shared program, nor a good program that of a poor channel.
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
