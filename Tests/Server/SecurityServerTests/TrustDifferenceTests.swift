import ChatelaineModel
import Testing

@testable import SecurityServer

/// A user is told how new settings of trust differ from the old ones.
struct TrustDifferenceTests {
    private func setting(_ name: String, _ results: TrustConstraint.Result...) -> TrustSetting {
        TrustSetting(
            certificate: Array(name.utf8), subject: [], summary: name, constraints: results.map { TrustConstraint($0) },
            modified: 0)
    }

    @Test func whatIsNewIsNamed() {
        let former = [setting("old"), setting("bad", .deny)]
        let own = TrustDifference(from: former, to: former + [setting("own")])
        #expect(own.widensTrust && own.text(of: 3) == "1 trusted, 3 set in place of all others: own")
        let denied = TrustDifference(from: former, to: former + [setting("worse", .deny)])
        #expect(!denied.widensTrust && denied.text(of: nil) == "1 denied: worse")
        let same = TrustDifference(from: former, to: former.reversed())
        #expect(!same.widensTrust && same.text(of: 2) == "2 set in place of all others")
        #expect(!TrustDifference(from: former, to: [setting("bad", .deny)]).widensTrust)
    }

    @Test func aDenialThatIsTakenBackWidensTrust() {
        let former = [setting("bad", .deny), setting("old")]
        let removed = TrustDifference(from: former, to: [setting("old")])
        #expect(removed.widensTrust && removed.text(of: nil) == "1 denied no more: bad")
        let turned = TrustDifference(from: former, to: [setting("bad"), setting("old")])
        #expect(turned.widensTrust && turned.text(of: nil) == "1 trusted: bad")
        #expect(TrustDifference(from: former, to: []).text(of: 0) == "1 denied no more, nothing set for any other: bad")
        // The first constraint that concerns an evaluation decides.
        let both = TrustDifference(
            from: [setting("a", .deny, .trustRoot)], to: [setting("a", .trustRoot, .deny)])
        #expect(both.widensTrust)
        let more = TrustDifference(from: [setting("a", .trustRoot)], to: [setting("a", .deny)])
        #expect(!more.widensTrust && more.text(of: nil) == "1 denied: a")
    }

    /// A denial that concerns fewer evaluations, or none at all, looks like one all the same.
    @Test(arguments: [
        TrustConstraint(.deny, policy: .smime), TrustConstraint(.deny, policyName: "example.org"),
        TrustConstraint(.deny, application: "/nowhere"), TrustConstraint(.deny, keyUsage: 1),
    ])
    func aDenialForLessWidensTrust(_ constraint: TrustConstraint) {
        let former = [setting("bad", .deny)]
        var less = setting("bad")
        less.constraints = [constraint]
        let narrowed = TrustDifference(from: former, to: [less])
        #expect(narrowed.widensTrust && narrowed.word(for: less) == "denied for less")
        #expect(narrowed.text(of: nil) == "1 denied for less: bad")
        #expect(!TrustDifference(from: [less], to: former).widensTrust)
        let other = TrustDifference(from: [], to: [less])
        #expect(!other.widensTrust && other.word(for: less) == "denied")
        var more = less
        more.constraints.append(TrustConstraint(.deny, policy: .codeSigning))
        #expect(!TrustDifference(from: [less], to: [more]).widensTrust)
        #expect(TrustDifference(from: [more], to: [less]).widensTrust)
    }

    /// A long name does not hide the numbers of the others.
    @Test func numbersStandBeforeNames() {
        let long = String(repeating: "x", count: 200)
        let names = [long, "b", "c", "d", "e"]
        let text = TrustDifference(from: [], to: names.map { setting($0) }).text(of: 5)
        #expect(text.hasPrefix("5 trusted, 5 set in place of all others: xxx"))
        #expect(text.hasSuffix(", b, c, 2 more") && text.count < 160)
    }
}
