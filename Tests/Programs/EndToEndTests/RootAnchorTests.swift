import Foundation
import TestSupport
import Testing

/// Tests of root's statements about signatures in `/etc/chatelaine`.
///
/// The signatures and trustd are real, and programs run meanwhile (Documentation/formats/signature-files.md).
@Suite struct RootAnchorTests {
    private static let team = Developers.team
    private static let notFound = -25300

    @Test func rootsAnchorCountsAndWins() throws {
        guard Privilege.isThere() else { return }
        let home = try RootedHousehold(user: Privilege.user(87))
        let developers = home.developers
        try developers.sign("writer")
        let writer = try home.bus.probe("writer")
        #expect(try writer.find("ada").status == RootedHousehold.missingEntitlement)
        try developers.require(["app", "team", "add", developers.anchor()])
        #expect(try writer.add("ada", "s3cret") == 0)
        #expect(try developers.shown("writer").contains("by the anchor that you have added"))

        try developers.makeTeam(in: "roots")
        try home.trust(developers.anchor(in: "roots"))
        try home.expectRefusal(writer, "writer", "do not lead to the team's anchor")
        let teams = try developers.tool(["app", "team", "list"]).output
        #expect(teams.count == 3 && teams[1].hasPrefix("\(Self.team)  root"), "\(teams)")
        #expect(teams.last?.contains("counts for nothing: root's anchor counts") == true, "\(teams)")
        for folder in ["identities", "roots"] {
            let (status, said) = try developers.tool(["app", "team", "add", developers.anchor(in: folder)])
            #expect(status != 0 && said.joined().contains("errSecDuplicateItem"), "\(said)")
        }
        // A program signed below root's anchor has that team's name, but none of the items that the other anchor's
        // programs stored.
        try developers.sign("other", in: "roots")
        let other = try home.bus.probe("other")
        #expect(try other.find("ada").status == Self.notFound)
        #expect(try other.add("ada", "another") == 0)
        #expect(try developers.shown("other").contains("by the anchor that root has added"))

        try home.root("rm teams/\(Self.team).pem")
        try home.wait(writer, toGet: 0)
        #expect(try writer.find("ada").data == Data("s3cret".utf8))
        try home.expectRefusal(other, "other", "do not lead to the team's anchor")
    }

    /// A signature that root lists by the program's digest needs no file beside the program, and takes precedence over
    /// one.
    @Test func aSignatureIsListedByItsDigest() throws {
        guard Privilege.isThere() else { return }
        let home = try RootedHousehold(user: Privilege.user(88))
        let developers = home.developers
        func status() throws -> Int { try home.bus.probe("moved").find("ada").status }
        try home.trust()
        try home.bus.household.application("writer")
        let unsigned = try home.bus.probe("writer")
        #expect(try unsigned.add("own", "s3cret") == 0)
        try developers.sign("writer", ["--output", developers.path("listed")])
        try home.root(
            "mkdir signatures && cp \"$1\" signatures/$2.codesig", developers.path("listed"),
            home.digest(of: "writer"))
        try home.bus.wait(for: "the signature") { try home.bus.probe("writer").find("own").status == Self.notFound }
        // A running program keeps the identity that it had at its start.
        #expect(try unsigned.find("own").status == 0)
        #expect(try home.bus.probe("writer").add("ada", "s3cret") == 0)
        #expect(try developers.shown("writer").contains("Its signature \(RootedHousehold.folder)/signatures/"))
        try developers.sign("reader")
        #expect(try home.bus.probe("reader").find("ada").status == 0)
        // The listed signature counts wherever the program lies, and whatever lies beside it.
        try #require(rename(developers.path("writer"), developers.path("moved")) == 0)
        #expect(try status() == 0)
        try Data("nonsense".utf8).write(to: URL(fileURLWithPath: developers.path("moved.codesig")))
        #expect(try status() == 0)
        // If the listed signature is unusable, one beside the program does not replace it.
        try developers.sign("moved")
        try home.root("for file in signatures/*; do echo nonsense >$file; done")
        #expect(try status() == RootedHousehold.missingEntitlement)
        #expect(try developers.shown("moved").contains(".codesig is no JWS"))
        try home.root("rm signatures/*")
        #expect(try status() == 0)
        #expect(try developers.shown("moved").contains("moved.codesig counts"))
        // If the folder is unusable, nobody can know what root has listed.
        let reader = try home.bus.probe("reader")
        #expect(try reader.find("ada").status == 0)
        try home.root("rmdir signatures && ln -s /nowhere signatures && echo nonsense >revoked")
        try home.wait(reader, toGet: RootedHousehold.missingEntitlement)
        try home.root("rm revoked")
        try home.wait(reader, toGet: 0)
        #expect(try status() == RootedHousehold.missingEntitlement)
        #expect(try developers.shown("moved").contains("lies behind one"))
        try home.root("rm signatures")
        try home.bus.wait(for: "no list") { try status() == 0 }
    }

    @Test func keysCertificatesAndProgramsAreRevoked() throws {
        guard Privilege.isThere() else { return }
        let home = try RootedHousehold(user: Privilege.user(89))
        let developers = home.developers
        try home.trust()
        try developers.sign("writer")
        let writer = try home.bus.probe("writer")
        #expect(try writer.add("ada", "s3cret") == 0)
        let certificates = try RootedHousehold.certificates(in: developers.signer())
        #expect(certificates.count == 2)
        let anchorKey = developers.path("identities/\(Self.team)-anchor-key.pem")
        let lines =
            try [RootedHousehold.key(in: developers.signer()), RootedHousehold.key(in: anchorKey)].map { "key \($0)" }
            + certificates.map { "certificate \($0)" } + ["program \(home.digest(of: "writer"))"]
        for line in lines {
            try home.write("# since yesterday\n\n\(line)\n", to: "revoked")
            try home.expectRefusal(writer, "writer", "is revoked (\(line))")
            // A signature that is removed from the list counts again.
            try home.write("# since yesterday\n", to: "revoked")
            try home.wait(writer, toGet: 0)
        }
        // The list revokes the program's bytes, not the keys: a signature below another key is refused too.
        try developers.makeTeam("ZYXWV98765")
        try home.trust(developers.anchor(of: "ZYXWV98765"), as: "ZYXWV98765")
        try developers.sign("stranger", groups: [], by: "ZYXWV98765")
        try home.bus.wait(for: "the other team") { try home.bus.probe("stranger").find("ada").status == Self.notFound }
        try home.write(lines.dropLast().map { $0 + "\n" }.joined(), to: "revoked")
        try home.wait(writer, toGet: RootedHousehold.missingEntitlement)
        let stranger = try home.bus.probe("stranger")
        #expect(try stranger.add("ada", "s3cret") == 0)
        try home.write(try #require(lines.last) + "\n", to: "revoked")
        try home.wait(stranger, toGet: RootedHousehold.missingEntitlement)
    }

    @Test func aTeamNeedsProfilesWhereRootSaysSo() throws {
        guard Privilege.isThere() else { return }
        let home = try RootedHousehold(user: Privilege.user(90))
        let developers = home.developers
        try home.trust()
        try developers.sign("writer")
        let writer = try home.bus.probe("writer")
        #expect(try writer.add("ada", "s3cret") == 0)
        let mark = "teams/\(Self.team).requires-profiles"
        // Whatever kind of file has this name, the mark counts as set.
        for script in ["touch \(mark)", "echo no >\(mark)", "mkdir \(mark)", "ln -s /nowhere \(mark)"] {
            try home.root(script)
            try home.expectRefusal(writer, "writer", "claims what its profile does not allow")
            try home.root("rm -r \(mark)")
            try home.wait(writer, toGet: 0)
        }
        try home.root("touch \(mark)")
        try home.wait(writer, toGet: RootedHousehold.missingEntitlement)
        let profile = developers.path("profile")
        try developers.require([
            "app", "profile", profile, "--identity", developers.path("identities/\(Self.team)-anchor-key.pem"),
            "--identity", developers.anchor(), "--signer", developers.signer(), "--identifier",
            "\(Self.team).com.example.writer", "--group", "\(Self.team).shared",
        ])
        try developers.sign("writer", ["--profile", profile])
        let profiled = try home.bus.probe("writer")
        #expect(try profiled.find("ada").data == Data("s3cret".utf8))
        // The profile does not have the other identifier.
        let (status, said) = try developers.tool([
            "app", "sign", developers.path("writer"), "--identity", developers.signer(), "--identifier",
            "\(Self.team).com.example.other", "--profile", profile, "--output", developers.path("none"),
        ])
        #expect(status != 0 && said.joined().contains("its profile does not allow"), "\(said)")
    }

    /// Each script locks out a program that the person's own anchor would let in.
    ///
    /// $1 is the team, $2 another team's anchor, $3 its own.
    private static let unusable = [
        ("echo nonsense >revoked", "line 1 of /etc/chatelaine/revoked is not understood"),
        ("printf '# a\\nkey 12\\n' >revoked", "line 2 of /etc/chatelaine/revoked is not understood"),
        ("mkdir revoked", "/etc/chatelaine/revoked is not a regular file"),
        ("ln -s /nowhere revoked", "/etc/chatelaine/revoked is a symbolic link"),
        ("touch revoked && chmod o+w revoked", "others than root could have written it"),
        ("chmod 700 .", "cannot be read"),
        ("echo nonsense >teams/$1.pem", "/etc/chatelaine/teams/ABCDE12345.pem is no anchor"),
        ("cp \"$2\" teams/$1.pem", "it is of the team ZYXWV98765"),
        ("cp \"$3\" teams/$1.pem && chmod 600 teams/$1.pem", "cannot be read"),
        ("cp \"$3\" teams/$1.pem && chmod o+w teams", "others than root could have written it"),
        ("ln -s \"$3\" teams/$1.pem", "is a symbolic link"),
        ("rmdir teams && touch teams", "/etc/chatelaine/teams/ABCDE12345.pem is a symbolic link, or lies behind one"),
    ]

    @Test func whatCannotBeUsedRefuses() throws {
        guard Privilege.isThere() else { return }
        let home = try RootedHousehold(user: Privilege.user(91))
        let developers = home.developers
        try developers.makeTeam("ZYXWV98765")
        try developers.require(["app", "team", "add", developers.anchor()])
        try developers.sign("writer")
        let writer = try home.bus.probe("writer")
        #expect(try writer.add("ada", "s3cret") == 0)
        for (script, reason) in Self.unusable {
            try home.root(script, Self.team, developers.anchor(of: "ZYXWV98765"), developers.anchor())
            try home.expectRefusal(writer, "writer", reason)
            try home.root("rm -rf * && chmod 755 . && mkdir teams")
            try home.wait(writer, toGet: 0)
        }
    }
}
