import Foundation
import TestSupport
import Testing

/// Programs that are signed as their developers sign them, with the built tool, and what each of them reaches.
///
/// Rules: behaviour/access-groups.md.
@Suite struct SignedApplicationTests {
    private static let notFound = -25300
    private static let duplicate = -25299
    private static let missingEntitlement = -34018
    private static let team = "ABCDE12345"
    private static let shared = "ABCDE12345.shared"

    private let household: Household
    private var identities: String { household.home + "/identities" }

    init() throws {
        household = try Household()
        try #require(
            access("\(BuildFolder.daemons)/trustd", X_OK) == 0, "build trustd first: make build CONFIGURATION=debug")
        try makeTeam(Self.team)
        try require(["app", "team", "add", "\(identities)/\(Self.team).pem"])
    }

    // MARK: The tool

    @discardableResult
    private func tool(_ words: [String]) throws -> (status: Int32, output: [String]) {
        let program = try Program(
            [BuildFolder.program("security")] + words, environment: household.variables, isQuiet: true)
        let output = try program.rest()
        return (try program.finish(), output)
    }

    private func require(_ words: [String]) throws {
        let (status, output) = try tool(words)
        try #require(status == 0, "\(words): \(output)")
    }

    private func makeTeam(_ team: String) throws {
        try require(["app", "identity", "create", "--team", team, "--common-name", "Developers of \(team)", identities])
    }

    private func path(_ name: String) -> String { "\(household.home)/\(name)" }

    /// Signs a copy of the probe, as a program of that team with these groups.
    private func sign(
        _ name: String, as identifier: String? = nil, groups: [String] = [shared], applicationGroups: [String] = [],
        by team: String = team, _ more: [String] = []
    ) throws {
        if access(path(name), F_OK) != 0 { try household.application(name) }
        let entitlements: [String: Any] = [
            "keychain-access-groups": groups, "com.apple.security.application-groups": applicationGroups,
        ]
        let file = path("\(name).entitlements")
        try PropertyListSerialization.data(fromPropertyList: entitlements, format: .xml, options: 0)
            .write(to: URL(fileURLWithPath: file))
        try require(
            [
                "app", "sign", path(name), "--identity", "\(identities)/\(team)-signer.pem", "--identifier",
                identifier ?? "\(team).com.example.\(name)", "--entitlements", file,
            ] + more)
    }

    /// Another content of the same behaviour: what follows the program in its file is not looked at by the kernel.
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

    /// That it has no group, and why: neither the signed identity nor the one that its file would have without.
    private func expectUnsigned(_ name: String, _ reason: String) throws {
        #expect(try find(name, "ada") == Self.missingEntitlement)
        #expect(try add(name, "evil") == Self.missingEntitlement)
        let (_, output) = try tool(["app", "show", path(name)])
        #expect(output.joined(separator: "\n").contains(reason), "\(output)")
        #expect(try tool(["app", "verify", path(name)]).status != 0)
    }

    // MARK: Sharing

    @Test func programsOfATeamShareAndOthersDoNot() throws {
        try sign("writer")
        try sign("reader", groups: ["ABCDE12345.other", Self.shared])
        try sign("loner", groups: [])
        try makeTeam("ZYXWV98765")
        try require(["app", "team", "add", "\(identities)/ZYXWV98765.pem"])
        try sign("stranger", groups: ["ZYXWV98765.shared"], by: "ZYXWV98765")

        #expect(try add("writer", "ada") == 0)
        // The first group is where items go, and all of them are searched.
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
        // What comes back is what the program called it, and can be given again.
        var query = ProbeProcess.password("ada")
        query["r_Attributes"] = true
        #expect(try household.probe("reader").call("find", query).dictionary?["agrp"] as? String == Self.shared)
    }

    @Test func itemsMoveBetweenOwnGroups() throws {
        try sign("writer", groups: [Self.shared, "ABCDE12345.private"])
        try sign("reader")
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
        try makeTeam("ZYXWV98765")
        try require(["app", "team", "add", "\(identities)/ZYXWV98765.pem"])
        try sign("writer", applicationGroups: [group])
        try sign("reader", groups: [], applicationGroups: [group])
        try sign("stranger", groups: [], applicationGroups: [group], by: "ZYXWV98765")
        #expect(try add("writer", "ada", group: group) == 0)
        #expect(try find("reader", "ada", group: group) == 0)
        #expect(try find("stranger", "ada", group: group) == Self.notFound)
        #expect(try add("stranger", "ada", group: group) == 0)
    }

    // MARK: Identity

    /// The identifier owns the items, and not the bytes of the program.
    @Test func aRebuiltProgramKeepsItsItems() throws {
        try sign("writer")
        #expect(try add("writer", "ada") == 0)
        try change("writer")
        try expectUnsigned("writer", "for another content")
        try sign("writer")
        #expect(try find("writer", "ada") == 0)
        // Elsewhere and under another name as well.
        try #require(rename(path("writer"), path("moved")) == 0)
        try #require(rename(path("writer.codesig"), path("moved.codesig")) == 0)
        #expect(try find("moved", "ada") == 0)
    }

    @Test func aSignatureOfAnotherProgramIsNone() throws {
        try sign("writer")
        #expect(try add("writer", "ada") == 0)
        try household.application("thief", of: "attacker")
        try household.copy(path("writer.codesig"), to: path("thief.codesig"))
        let (_, output) = try tool(["app", "show", path("thief")])
        #expect(output.joined().contains("for another content"), "\(output)")
        try household.application("other")
        try change("other")
        try household.copy(path("writer.codesig"), to: path("other.codesig"))
        try expectUnsigned("other", "for another content")
    }

    @Test func whatIsNotTheTeamsIsRefused() throws {
        try sign("writer")
        #expect(try add("writer", "ada") == 0)
        for (name, groups) in [("star", ["*"]), ("prefix", ["ZYXWV98765.shared"]), ("bare", ["shared"])] {
            try household.application(name)
            let file = path("\(name).entitlements")
            try PropertyListSerialization.data(
                fromPropertyList: ["keychain-access-groups": groups], format: .xml, options: 0
            ).write(to: URL(fileURLWithPath: file))
            let (status, _) = try tool([
                "app", "sign", path(name), "--identity", "\(identities)/\(Self.team)-signer.pem", "--identifier",
                "\(Self.team).com.example.\(name)", "--entitlements", file,
            ])
            // The tool makes no signature that would count for nothing.
            #expect(status != 0 && access(path("\(name).codesig"), F_OK) != 0)
        }
    }

    // MARK: Teams

    @Test func aTeamThatIsNotKnownHasNoPrograms() throws {
        try sign("writer")
        #expect(try add("writer", "ada") == 0)
        let running = try household.probe("writer")
        #expect(try running.find("ada").status == 0)
        try require(["app", "team", "remove", Self.team])
        #expect(try running.find("ada").status == Self.missingEntitlement)
        try expectUnsigned("writer", "team that is not known")
        try require(["app", "team", "add", "\(identities)/\(Self.team).pem"])
        #expect(try find("writer", "ada") == 0)
    }

    /// Another anchor for the same team is another owner.
    @Test func anotherAnchorInheritsNothing() throws {
        try sign("writer")
        #expect(try add("writer", "ada") == 0)
        let first = identities
        try #require(rename(first, household.home + "/former") == 0)
        try makeTeam(Self.team)
        #expect(try tool(["app", "team", "add", "\(identities)/\(Self.team).pem"]).status != 0)
        try sign("writer")
        #expect(try find("writer", "ada") == Self.missingEntitlement)
        try require(["app", "team", "remove", Self.team])
        try require(["app", "team", "add", "\(identities)/\(Self.team).pem"])
        #expect(try find("writer", "ada") == Self.notFound)
        #expect(try add("writer", "ada") == 0)
    }

    @Test func aPasscodeGuardsTeams() throws {
        try sign("writer")
        #expect(try add("writer", "ada") == 0)
        try household.passcode(.set, Household.passcode)
        #expect(try find("writer", "ada") == 0)
        try makeTeam("ZYXWV98765")
        #expect(try tool(["app", "team", "add", "\(identities)/ZYXWV98765.pem"]).status != 0)
        #expect(try tool(["app", "team", "remove", Self.team]).status != 0)
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
        try sign("writer")
        #expect(try find("writer", "ada") == Self.notFound)
        let (status, output) = try tool(["app", "adopt", path("writer")])
        #expect(status == 0 && output == ["2 items moved to ABCDE12345.com.example.writer"], "\(output)")
        for account in unsignedItems { #expect(try find("writer", account) == 0) }
        #expect(try tool(["app", "list"]).output.contains { $0.hasPrefix("adopted") })
        // Nothing is left to move, which is what was asked for; and nobody else gets them.
        #expect(
            try tool(["app", "adopt", path("writer")]).output == ["0 items moved to ABCDE12345.com.example.writer"])
        try sign("reader")
        #expect(try find("reader", "ada") == Self.notFound)
        #expect(try tool(["app", "adopt", path("reader")]).status != 0)

        try require(["app", "adopt", "--return", path("writer")])
        #expect(
            try tool(["app", "adopt", "--return", path("writer")]).output == [
                "0 items moved to pinned:\(path("writer"))"
            ])
        #expect(try find("writer", "ada") == Self.notFound)
        #expect(try !tool(["app", "list"]).output.contains { $0.hasPrefix("adopted") })
        try #require(unlink(path("writer.codesig")) == 0)
        for account in unsignedItems { #expect(try find("writer", account) == 0) }
    }

    @Test func adoptionIsAllOrNothing() throws {
        try storeUnsigned("writer")
        try sign("writer", groups: [])
        #expect(try add("writer", "bob") == 0)
        #expect(try tool(["app", "adopt", path("writer")]).status != 0)
        #expect(try find("writer", "ada") == Self.notFound)
        #expect(try household.probe("writer").delete("bob") == 0)
        try require(["app", "adopt", path("writer")])
        for account in unsignedItems { #expect(try find("writer", account) == 0) }
    }

    /// Another file than the one whose items they are gets nothing by being signed.
    @Test func onlyTheVeryFileTakesItsItems() throws {
        try storeUnsigned("writer")
        try change("writer")
        try sign("writer")
        #expect(try tool(["app", "adopt", path("writer")]).status != 0)
        #expect(try find("writer", "ada") == Self.notFound)
        try household.application("unsigned")
        #expect(try tool(["app", "adopt", path("unsigned")]).status != 0)
    }

    @Test func aPasscodeGuardsAdoption() throws {
        try storeUnsigned("writer")
        try sign("writer")
        try household.passcode(.set, Household.passcode)
        #expect(try tool(["app", "adopt", path("writer")]).status != 0)
        let program = try Program(
            [BuildFolder.program("security"), "app", "adopt", "--stdin", path("writer")],
            environment: household.variables, isQuiet: true)
        try program.send(Data(Household.passcode.utf8))
        #expect(try program.rest() == ["2 items moved to ABCDE12345.com.example.writer"])
        #expect(try find("writer", "ada") == 0)
    }
}
