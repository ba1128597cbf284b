import Testing

@testable import ChatelaineModel

/// Tests of constraints as lines of root's files.
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

    /// A mistyped line may be meant as a denial, so it does not count as a comment.
    @Test func aMistypedLineIsNoComment() {
        let pem = "-----BEGIN CERTIFICATE-----\nTrust: deny\nMIIB\n-----END CERTIFICATE-----\n"
        func constraints(_ before: String, _ after: String = "") -> [TrustConstraint]? {
            TrustLine.constraints(in: Array((before + pem + after).utf8))
        }
        for text in ["", "# Root\n", "\n \n\t\r\n", "  # Root\r\n", "#Trust: deny\n"] {
            #expect(constraints(text, text) == [], "\(text)")
        }
        #expect(constraints("Trust: deny\r\n", "\r\n# end") == [TrustConstraint(.deny)])
        #expect(constraints("Trust: deny \t\nTrust: trustRoot\n")?.count == 2)
        // A line that begins inside another line counts as usual.
        #expect(constraints("# Root\rTrust: deny\n") == [TrustConstraint(.deny)])
        for text in [
            "Trust:deny\n", "trust: deny\n", " Trust: deny\n", "\u{FEFF}Trust: deny\n", "\u{FEFF} TRUST :deny\n",
            "Trust:\tdeny\n", "# Root\rTrust:deny\n", "Trust deny\n", "Trust=deny\n", "Distrust: yes\n",
            "- Trust: deny\n",
            "\u{A0}Trust: deny\n", "subject=CN = Trust: deny\n",
        ] {
            #expect(constraints(text) == nil, "\(text)")
        }
        for text in ["Trust: deny\n", " trust:deny\n", pem] { #expect(constraints("", text) == nil, "\(text)") }
    }

    /// Text that tools write around a certificate is a comment; former releases ignored it too.
    @Test func otherTextIsAComment() {
        let pem = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"
        for text in [
            "Certificate:\n    Data:\n        Version: 3 (0x2)\n", "subject=CN = Root\nissuer=CN = Root\n",
            "Bag Attributes\n    localKeyID: 54 72\n", "Our root, in which we trust\n",
            "Trustworthy Root\n", "# Trust deny: is what one would write\n",
        ] {
            #expect(TrustLine.constraints(in: Array((text + pem + text).utf8)) == [], "\(text)")
            #expect(TrustLine.constraints(in: Array((text + "Trust: deny\n" + pem).utf8)) == [TrustConstraint(.deny)])
        }
        #expect(TrustLine.constraints(in: [0x30, 0x82, 0x0A] + Array("Trust:x".utf8)) == [])
    }

    @Test func blanksCannotStandInALine() {
        #expect(TrustLine.canHold(TrustConstraint(policyName: "a.example", application: "/a")))
        for text in ["a b", "a\nTrust:", "\t"] {
            #expect(!TrustLine.canHold(TrustConstraint(policyName: text)))
            #expect(!TrustLine.canHold(TrustConstraint(application: text)))
        }
    }
}
