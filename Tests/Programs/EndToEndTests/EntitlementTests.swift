import Foundation
import TestSupport
import Testing

/// Tests of what a program learns about its own signature (behaviour/access-groups.md).
@Suite struct EntitlementTests {
    private static let param = -50
    private static let missingEntitlement = -34018

    private let household: Household
    private let developers: Developers

    init() throws {
        household = try Household()
        developers = try Developers(in: household)
        try developers.makeTeam()
        try developers.require(["app", "team", "add", developers.anchor()])
    }

    private func entitlement(_ probe: ProbeProcess, _ name: String) throws -> (status: Int, value: Any?) {
        let answer = try probe.ask(["call": "entitlement", "name": name])
        return (answer.status, answer.result)
    }

    @Test func aSignedProgramIsToldItsOwn() throws {
        try developers.sign(
            "app", groups: ["\(Developers.team).first", Developers.shared], applicationGroups: ["group.mail"],
            besides: [
                "com.example.flag": true, "com.example.number": 7, "com.example.nested": ["on": ["a", false, 1]],
            ])
        let probe = try household.probe("app")
        let expected: [String: NSObject] = [
            "keychain-access-groups": ["\(Developers.team).first", Developers.shared] as NSArray,
            "com.apple.security.application-groups": ["group.mail"] as NSArray,
            "application-identifier": "\(Developers.team).com.example.app" as NSString,
            "com.example.flag": true as NSNumber, "com.example.number": 7 as NSNumber,
            "com.example.nested": ["on": ["a", false, 1]] as NSDictionary,
        ]
        for (name, value) in expected {
            let (status, found) = try entitlement(probe, name)
            #expect(status == 0 && found as? NSObject == value, "\(name): \(String(describing: found))")
        }
        let some = try probe.ask(["call": "entitlements", "names": ["com.example.flag", "nothing"]])
        #expect(some.status == 0 && some.result as? NSDictionary == ["com.example.flag": true])
        #expect(try probe.ask(["call": "signingIdentifier"]).result as? String == "com.example.app")
        #expect(try entitlement(probe, "nothing").status == 0)
        #expect(try entitlement(probe, "nothing").value == nil)
        #expect(try probe.ask(["call": "entitlements", "names": ["a", 1]]).status == Self.param)
    }

    @Test func moreNamesThanThereMayBe() throws {
        try developers.sign("app")
        let probe = try household.probe("app")
        let names = [String](repeating: "application-identifier", count: 16 * 1024)
        let most = try probe.ask(["call": "entitlements", "names": names])
        #expect(most.status == 0 && (most.result as? NSDictionary)?.count == 1)
        #expect(try probe.ask(["call": "entitlements", "names": names + ["one more"]]).status == Self.param)
    }

    @Test func anUnsignedProgramHasNone() throws {
        try household.application("plain")
        let probe = try household.probe("plain")
        for name in ["keychain-access-groups", "application-identifier"] {
            let (status, value) = try entitlement(probe, name)
            #expect(status == 0 && value == nil)
        }
        let some = try probe.ask(["call": "entitlements", "names": ["application-identifier"]])
        #expect(some.status == 0 && (some.result as? NSDictionary)?.count == 0)
        let identifier = try probe.ask(["call": "signingIdentifier"])
        #expect(identifier.status == 0 && identifier.result == nil)
    }

    /// A running program loses its entitlements with the team that signed it.
    @Test func aSignatureThatDoesNotCountIsAnError() throws {
        try developers.sign("app")
        let probe = try household.probe("app")
        #expect(try entitlement(probe, "application-identifier").value != nil)
        try developers.require(["app", "team", "remove", Developers.team])
        let (status, value) = try entitlement(probe, "application-identifier")
        #expect(status == Self.missingEntitlement && value == nil)
        #expect(try probe.ask(["call": "signingIdentifier"]).status == Self.missingEntitlement)
    }
}
