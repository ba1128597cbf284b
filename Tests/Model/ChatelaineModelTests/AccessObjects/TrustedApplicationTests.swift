import Testing

@testable import ChatelaineModel

/// Tests of which programs an entry lists, and which it then lets in (behaviour/access-objects.md).
@Suite struct TrustedApplicationTests {
    struct Match: CustomTestStringConvertible {
        let testDescription: String
        let listed: TrustedApplication
        let caller: ACLCaller
        let isLetIn: Bool

        init(_ name: String, _ listed: ACLCaller, _ caller: ACLCaller, _ isLetIn: Bool) {
            testDescription = name
            self.listed = listed.known
            self.caller = caller
            self.isLetIn = isLetIn
        }
    }

    private static let mail = AccessSamples.mail
    private static let git = AccessSamples.git
    private static let sync = AccessSamples.sync()

    static let matches: [Match] = {
        var moved = mail
        moved.path = "/home/ada/mail"
        var otherAnchor = mail
        otherAnchor.identity = AccessSamples.signedIdentity("mail", anchor: 2)
        var otherName = mail
        otherName.identity = AccessSamples.signedIdentity("news")
        var unsigned = AccessSamples.sync(3, at: mail.path)
        unsigned.standing = .unsigned
        var atGit = git
        atGit.path = "/usr/local/bin/git"
        atGit.identity = .identifier("path:/usr/local/bin/git")
        var surelyGit = git
        surelyGit.assurance = .kernel
        return [
            Match("a signed program by its team's name", mail, mail, true),
            Match("a signed program that moved", mail, moved, true),
            Match("the same name under another anchor", mail, otherAnchor, false),
            Match("another name of the same team", mail, otherName, false),
            Match("an unsigned program in a signed one's place", mail, unsigned, false),
            Match("a root-only program by its path", git, git, true),
            Match("a root-only program elsewhere", git, atGit, false),
            Match("an unsigned program by its digest", sync, sync, true),
            Match("the same content elsewhere", sync, AccessSamples.sync(at: "/tmp/copy"), true),
            Match("another content at its path", sync, AccessSamples.sync(8), false),
            Match("surer than it was listed", git, surelyGit, true),
            Match("less sure than it was listed", surelyGit, git, false),
            Match("in development", sync, sync.with(.inDevelopment), false),
            Match("traced", git, git.with(.traced), false),
            Match("an interpreter", AccessSamples.python, AccessSamples.python, false),
            Match("on a kernel that does not vouch for it", git, git.with(.degraded), false),
            Match("listed on such a kernel, and sure now", git.with(.degraded), git, true),
            Match("the security command", AccessSamples.tool, AccessSamples.tool, true),
            Match("the security command elsewhere", AccessSamples.tool, AccessSamples.tool.at("/opt/security"), true),
            Match("the security command in place of a program", git, AccessSamples.tool.at(git.path), false),
        ]
    }()

    @Test(arguments: matches)
    func whoIsLetIn(match: Match) { #expect(match.listed.admits(match.caller) == match.isLetIn) }

    @Test func whoIsNotToBeKnownIsNobody() {
        for standing in CodeStanding.allCases {
            let caller = AccessSamples.unknown(standing)
            #expect(caller.listed == nil && caller.rememberable == nil)
            #expect(!AccessSamples.callers.compactMap(\.listed).contains { $0.admits(caller) })
        }
    }

    /// E.3, SecTrustedApplication data: the opaque external form becomes an object again.
    @Test func theExternalFormIsTurnedBack() throws {
        for listed in AccessSamples.callers.compactMap(\.listed) {
            #expect(try TrustedApplication(external: listed.external) == listed)
        }
    }

    @Test func anythingElseIsNoExternalForm() {
        let whole = AccessSamples.mail.known.external
        let later = [whole[0], whole[1], 2] + whole.dropFirst(3)
        for bytes in [[], [0xA0], whole + [0], Array(whole.dropLast()), later, Array("/usr/bin/git".utf8)] {
            #expect(throws: KeychainError(.param, "")) { try TrustedApplication(external: bytes) }
        }
    }

    /// A name that any program could get is not listed.
    @Test(arguments: [
        "", "ABCDE12345.mail", "pinned:/usr/bin/git", "dev:/usr/bin/git", "rejected:/usr/bin/git", "path:", "path:git",
        "team:", "team:ABCDE12345:short", "path:/" + String(repeating: "x", count: 4200),
    ])
    func anIdentifierThatIsNone(text: String) {
        let application = TrustedApplication(.identifier(AccessGroup(text)), .file, at: "/usr/bin/git")
        #expect(throws: KeychainError(.param, "")) { try TrustedApplication(external: application.external) }
        let access = AccessObject.default(descriptor: "", trusted: [application])
        #expect(throws: KeychainError(.invalidACL, "")) { try access.validate() }
        #expect(throws: CBORError.outOfRange) { try access.rewritten() }
    }
}

extension ACLCaller {
    func at(_ path: ExactText) -> ACLCaller {
        var caller = self
        caller.path = path
        return caller
    }
}
