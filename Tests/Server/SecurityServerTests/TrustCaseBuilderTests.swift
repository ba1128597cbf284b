import ChatelaineModel
import Testing
import TrustProtocol

@testable import SecurityServer

/// The settings that an evaluation gets (behaviour/trust.md).
struct TrustCaseBuilderTests {
    private static func constraint(_ result: TrustConstraint.Result, for application: String?) -> TrustConstraint {
        TrustConstraint(result, application: application)
    }

    private static func results(
        _ constraints: [TrustConstraint], for caller: String?
    ) -> [TrustConstraint.Result]? {
        let setting = TrustSetting(certificate: [7], subject: [8], summary: "", constraints: constraints, modified: 0)
        var builder = TrustCaseBuilder(roots: RootIndex([]), own: [], admin: [setting], for: caller)
        builder.add([[7]])
        let question = TrustQuestion([[7]], policies: [TrustPolicy(.basic)])
        return builder.trustCase(question).settings.first?.constraints.map(\.result)
    }

    /// Where the keychain does not open, nobody knows the caller: it may be the one to which something is denied.
    @Test func whatIsDeniedToOneProgramIsDeniedToUnknownOnes() {
        let constraints = [
            Self.constraint(.deny, for: "/a"), Self.constraint(.trustRoot, for: "/b"),
            Self.constraint(.unspecified, for: nil),
        ]
        #expect(Self.results(constraints, for: "/a") == [.deny, .unspecified])
        #expect(Self.results(constraints, for: "/b") == [.trustRoot, .unspecified])
        #expect(Self.results(constraints, for: "/c") == [.unspecified])
        #expect(Self.results(constraints, for: nil) == [.deny, .unspecified])
        #expect(Self.results([constraints[1]], for: nil) == nil)
    }
}
