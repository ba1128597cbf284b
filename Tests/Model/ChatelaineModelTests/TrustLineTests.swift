import Testing

@testable import ChatelaineModel

/// Constraints as lines of root's files.
struct TrustLineTests {
    @Test func aLineIsReadAsItWasWritten() {
        let constraints = [
            TrustConstraint(), TrustConstraint(.deny, policy: .ssl, policyName: "a.example"),
            TrustConstraint(.unspecified, application: "/opt/company/program", allowedError: -67818, keyUsage: 8),
        ]
        let text = constraints.map { TrustLine.text(of: $0) + "\n" }.joined()
        let file = Array("# a comment\n\(text)-----BEGIN CERTIFICATE-----\nTrust: not one\n".utf8)
        #expect(TrustLine.constraints(in: file) == constraints)
        #expect(TrustLine.constraints(in: Array("-----BEGIN CERTIFICATE-----".utf8)) == [])
    }

    @Test func whatIsNotUnderstoodIsNoSetting() {
        for line in [
            "Trust: ", "Trust: perhaps", "Trust: deny policy=1.2.3", "Trust: deny name", "Trust: deny error=x",
            "Trust: deny unknown=1", "Trust: trustRoot usage=-1",
        ] {
            #expect(TrustLine.constraints(in: Array((line + "\n").utf8)) == nil, "\(line)")
        }
        let many = [String](repeating: "Trust: deny\n", count: TrustLimits.maximumConstraints + 1).joined()
        #expect(TrustLine.constraints(in: Array(many.utf8)) == nil)
    }

    @Test func blanksCannotStandInALine() {
        #expect(TrustLine.canHold(TrustConstraint(policyName: "a.example", application: "/a")))
        for text in ["a b", "a\nTrust:", "\t"] {
            #expect(!TrustLine.canHold(TrustConstraint(policyName: text)))
            #expect(!TrustLine.canHold(TrustConstraint(application: text)))
        }
    }
}
