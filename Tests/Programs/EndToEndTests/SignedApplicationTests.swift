import Foundation
import TestSupport
import Testing

/// Tests of programs that are signed with the built tool as their developers sign them, and of the items that each
/// reaches.
///
/// Rules: behaviour/access-groups.md.
@Suite struct SignedApplicationTests {
    private static let notFound = -25300
    private static let duplicate = -25299
    private static let missingEntitlement = -34018
    private static let team = Developers.team
    private static let shared = Developers.shared

    private let household: Household
    private let developers: Developers
    private var identities: String { developers.identities() }

    init() throws {
        household = try Household()
        developers = try Developers(in: household)
        try developers.makeTeam()
        try developers.require(["app", "team", "add", developers.anchor()])
    }

    private func path(_ name: String) -> String { developers.path(name) }

    /// Changes the program's content but not its behaviour: the kernel ignores bytes after the program in its file.
    private func change(_ name: String) throws {
        let next = path("next")
        try household.copy(path(name), to: next)
        let words = ["sh", "-c", "printf 'another program' >> \"$0\"", next]
        try #require(try Program(words, environment: household.variables).finish() == 0)
        try #require(rename(next, path(name)) == 0)
    }

    private func add(_ name: String, _ account: String, group: String? = nil) throws -> Int {
        var item = ProbeProcess.password(account)
        item["v_Data"] = PasswordTests.data("s3cret of \(account)")
        item["agrp"] = group
        return try household.probe(name).call("add", item).status
    }

    private func find(_ name: String, _ account: String, group: String? = nil) throws -> Int {
        var query = ProbeProcess.password(account)
        query["r_Data"] = true
        query["agrp"] = group
        return try household.probe(name).call("find", query).status
    }

    /// Expects that the program has no group, and why.
    ///
    /// It has neither the signed identity nor the one of its file without a signature.
    private func expectUnsigned(_ name: String, _ reason: String) throws {
        #expect(try find(name, "ada") == Self.missingEntitlement)
        #expect(try add(name, "evil") == Self.missingEntitlement)
        let (_, output) = try developers.tool(["app", "show", path(name)])
        #expect(output.joined(separator: "\n").contains(reason), "\(output)")
        #expect(try developers.tool(["app", "verify", path(name)]).status != 0)
    }

    // MARK: Sharing

    @Test func programsOfATeamShareAndOthersDoNot() throws {
        try developers.sign("writer")
        try developers.sign("reader", groups: ["ABCDE12345.other", Self.shared])
        try developers.sign("loner", groups: [])
        try developers.makeTeam("ZYXWV98765")
        try developers.require(["app", "team", "add", "\(identities)/ZYXWV98765.pem"])
        try developers.sign("stranger", groups: ["ZYXWV98765.shared"], by: "ZYXWV98765")

        #expect(try add("writer", "ada") == 0)
        // Items go to the first group, and searches cover all groups.
        #expect(try find("reader", "ada") == 0)
        #expect(try find("reader", "ada", group: Self.shared) == 0)
        #expect(try find("reader", "ada", group: "ABCDE12345.other") == Self.notFound)
        for name in ["loner", "stranger"] {
            #expect(try find(name, "ada") == Self.notFound)
            #expect(try find(name, "ada", group: Self.shared) == Self.missingEntitlement)
            #expect(try add(name, "bob", group: Self.shared) == Self.missingEntitlement)
        }
        #expect(try add("loner", "own", group: "ABCDE12345.com.example.loner") == 0)
        #expect(try find("writer", "own") == Self.notFound)
        // A result has the group's name as the program writes it, which a query can use again.
        var query = ProbeProcess.password("ada")
        query["r_Attributes"] = true
        #expect(try household.probe("reader").call("find", query).dictionary?["agrp"] as? String == Self.shared)
    }

    @Test func itemsMoveBetweenOwnGroups() throws {
        try developers.sign("writer", groups: [Self.shared, "ABCDE12345.private"])
        try developers.sign("reader")
        #expect(try add("writer", "ada") == 0)
        let writer = try household.probe("writer")
        let change = ["agrp": "ABCDE12345.private"]
        #expect(
            try household.probe("reader").call("update", ProbeProcess.password("ada"), change: change).status
                == Self.missingEntitlement)
        #expect(try writer.call("update", ProbeProcess.password("ada"), change: change).status == 0)
        #expect(try find("reader", "ada") == Self.notFound)
        #expect(try find("writer", "ada", group: "ABCDE12345.private") == 0)
        var query: [String: Any] = ["class": "genp", "agrp": Self.shared]
        #expect(try writer.call("delete", query).status == Self.notFound)
        query["agrp"] = "ABCDE12345.private"
        #expect(try writer.call("delete", query).status == 0)
    }

    @Test func applicationGroupsAreTheTeams() throws {
        let group = "group.com.example"
        try developers.makeTeam("ZYXWV98765")
        try developers.require(["app", "team", "add", "\(identities)/ZYXWV98765.pem"])
        try developers.sign("writer", applicationGroups: [group])
        try developers.sign("reader", groups: [], applicationGroups: [group])
        try developers.sign("stranger", groups: [], applicationGroups: [group], by: "ZYXWV98765")
        #expect(try add("writer", "ada", group: group) == 0)
        #expect(try find("reader", "ada", group: group) == 0)
        #expect(try find("stranger", "ada", group: group) == Self.notFound)
        #expect(try add("stranger", "ada", group: group) == 0)
    }

    // MARK: Identity

    /// The identifier owns the items, not the bytes of the program.
    @Test func aRebuiltProgramKeepsItsItems() throws {
        try developers.sign("writer")
        #expect(try add("writer", "ada") == 0)
        try change("writer")
        try expectUnsigned("writer", "for another content")
        try developers.sign("writer")
        #expect(try find("writer", "ada") == 0)
        // The items also stay after the program moves and gets another name.
        try #require(rename(path("writer"), path("moved")) == 0)
        try #require(rename(path("writer.codesig"), path("moved.codesig")) == 0)
        #expect(try find("moved", "ada") == 0)
    }

    @Test func aSignatureOfAnotherProgramIsNone() throws {
        try developers.sign("writer")
        #expect(try add("writer", "ada") == 0)
        try household.application("thief", of: "attacker")
        try household.copy(path("writer.codesig"), to: path("thief.codesig"))
        let (_, output) = try developers.tool(["app", "show", path("thief")])
        #expect(output.joined().contains("for another content"), "\(output)")
        try household.application("other")
        try change("other")
        try household.copy(path("writer.codesig"), to: path("other.codesig"))
        try expectUnsigned("other", "for another content")
    }

    @Test func whatIsNotTheTeamsIsRefused() throws {
        try developers.sign("writer")
        #expect(try add("writer", "ada") == 0)
        for (name, groups) in [("star", ["*"]), ("prefix", ["ZYXWV98765.shared"]), ("bare", ["shared"])] {
            try household.application(name)
            let file = path("\(name).entitlements")
            try PropertyListSerialization.data(
                fromPropertyList: ["keychain-access-groups": groups], format: .xml, options: 0
            ).write(to: URL(fileURLWithPath: file))
            let (status, _) = try developers.tool([
                "app", "sign", path(name), "--identity", "\(identities)/\(Self.team)-signer.pem", "--identifier",
                "\(Self.team).com.example.\(name)", "--entitlements", file,
            ])
            // The tool makes no signature that would not count.
            #expect(status != 0 && access(path("\(name).codesig"), F_OK) != 0)
        }
    }

    // MARK: Teams

    @Test func aTeamThatIsNotKnownHasNoPrograms() throws {
        try developers.sign("writer")
        #expect(try add("writer", "ada") == 0)
        let running = try household.probe("writer")
        #expect(try running.find("ada").status == 0)
        try developers.require(["app", "team", "remove", Self.team])
        #expect(try running.find("ada").status == Self.missingEntitlement)
        try expectUnsigned("writer", "team that is not known")
        try developers.require(["app", "team", "add", "\(identities)/\(Self.team).pem"])
        #expect(try find("writer", "ada") == 0)
    }

    /// The same team under another anchor is another owner.
    @Test func anotherAnchorInheritsNothing() throws {
        try developers.sign("writer")
        #expect(try add("writer", "ada") == 0)
        let first = identities
        try #require(rename(first, household.home + "/former") == 0)
        try developers.makeTeam(Self.team)
        #expect(try developers.tool(["app", "team", "add", "\(identities)/\(Self.team).pem"]).status != 0)
        try developers.sign("writer")
        #expect(try find("writer", "ada") == Self.missingEntitlement)
        try developers.require(["app", "team", "remove", Self.team])
        try developers.require(["app", "team", "add", "\(identities)/\(Self.team).pem"])
        #expect(try find("writer", "ada") == Self.notFound)
        #expect(try add("writer", "ada") == 0)
    }

    @Test func aPasscodeGuardsTeams() throws {
        try developers.sign("writer")
        #expect(try add("writer", "ada") == 0)
        try household.passcode(.set, Household.passcode)
        #expect(try find("writer", "ada") == 0)
        try developers.makeTeam("ZYXWV98765")
        #expect(try developers.tool(["app", "team", "add", "\(identities)/ZYXWV98765.pem"]).status != 0)
        #expect(try developers.tool(["app", "team", "remove", Self.team]).status != 0)
        #expect(try find("writer", "ada") == 0)
    }

    // MARK: Moving in

    private var unsignedItems: [String] { ["ada", "bob"] }

    private func storeUnsigned(_ name: String) throws {
        try household.application(name)
        for account in unsignedItems { #expect(try add(name, account) == 0) }
    }

    @Test func whatWasStoredUnsignedGoesOver() throws {
        try storeUnsigned("writer")
        try developers.sign("writer")
        #expect(try find("writer", "ada") == Self.notFound)
        let (status, output) = try developers.tool(["app", "adopt", path("writer")])
        #expect(status == 0 && output == ["2 items moved to ABCDE12345.com.example.writer"], "\(output)")
        for account in unsignedItems { #expect(try find("writer", account) == 0) }
        #expect(try developers.tool(["app", "list"]).output.contains { $0.hasPrefix("adopted") })
        // The items are already moved, so the request is met. No other program gets them.
        #expect(
            try developers.tool(["app", "adopt", path("writer")]).output == [
                "0 items moved to ABCDE12345.com.example.writer"
            ])
        try developers.sign("reader")
        #expect(try find("reader", "ada") == Self.notFound)
        #expect(try developers.tool(["app", "adopt", path("reader")]).status != 0)

        try developers.require(["app", "adopt", "--return", path("writer")])
        #expect(
            try developers.tool(["app", "adopt", "--return", path("writer")]).output == [
                "0 items moved to pinned:\(path("writer"))"
            ])
        #expect(try find("writer", "ada") == Self.notFound)
        #expect(try !developers.tool(["app", "list"]).output.contains { $0.hasPrefix("adopted") })
        try #require(unlink(path("writer.codesig")) == 0)
        for account in unsignedItems { #expect(try find("writer", account) == 0) }
    }

    @Test func adoptionIsAllOrNothing() throws {
        try storeUnsigned("writer")
        try developers.sign("writer", groups: [])
        #expect(try add("writer", "bob") == 0)
        #expect(try developers.tool(["app", "adopt", path("writer")]).status != 0)
        #expect(try find("writer", "ada") == Self.notFound)
        #expect(try household.probe("writer").delete("bob") == 0)
        try developers.require(["app", "adopt", path("writer")])
        for account in unsignedItems { #expect(try find("writer", account) == 0) }
    }

    /// A signature gives a file only the items that the same file stored before.
    @Test func onlyTheVeryFileTakesItsItems() throws {
        try storeUnsigned("writer")
        try change("writer")
        try developers.sign("writer")
        #expect(try developers.tool(["app", "adopt", path("writer")]).status != 0)
        #expect(try find("writer", "ada") == Self.notFound)
        try household.application("unsigned")
        #expect(try developers.tool(["app", "adopt", path("unsigned")]).status != 0)
    }

    @Test func aPasscodeGuardsAdoption() throws {
        try storeUnsigned("writer")
        try developers.sign("writer")
        try household.passcode(.set, Household.passcode)
        #expect(try developers.tool(["app", "adopt", path("writer")]).status != 0)
        let (status, output) = try developers.tool(
            ["app", "adopt", "--stdin", path("writer")], reads: Household.passcode)
        #expect(status == 0 && output == ["2 items moved to ABCDE12345.com.example.writer"], "\(output)")
        #expect(try find("writer", "ada") == 0)
    }
}
