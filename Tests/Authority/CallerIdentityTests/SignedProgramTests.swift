import ChatelaineModel
import Foundation
import TestSupport
import Testing

@testable import CallerIdentity

/// The signature of a program decides about its identity.
@Suite(.enabled(if: Bench.isRoot, Bench.needsRoot))
struct SignedProgramTests {
    private let home: SignedHome
    private static let team = SignedHome.team

    init() throws { home = try SignedHome() }

    private func owner(_ key: UInt8 = 1) -> TeamOwner { TeamOwner(team: Self.team, anchorKey: .filled(key)) }

    @Test func itIsWhatItsTeamCallsIt() throws {
        try home.trust()
        let path = try home.signedProgram {
            $0.groups = ["\(Self.team).shared"]
            $0.applicationGroups = ["group.mail"]
        }
        let identity = try home.run(path).identity()
        #expect(identity.state == .signed && identity.refusal == nil)
        #expect(identity.identifier == AccessGroup("\(Self.team).mail", of: owner()))
        #expect(identity.groups.map(\.name) == ["\(Self.team).shared", "\(Self.team).mail", "group.mail"])
        #expect(!identity.groups.contains { !$0.isOfTeam })
        #expect(identity.assurance == .file && identity.displayName == "mail (\(Self.team))")
    }

    /// A program with the same signed identifier is the same program, even with other content at another path.
    @Test func neitherPathNorContentSayWhoItIs() throws {
        try home.trust()
        let first = try home.run(home.signedProgram("one")).identity()
        let second = try home.run(home.signedProgram("two", padding: "x")).identity()
        #expect(first.principal == second.principal && first.digest != second.digest)
        // Neither program is recorded.
        try home.bench.resolver.pin(first)
        #expect(home.bench.ledger.list().isEmpty)
    }

    @Test func withoutASignatureNothingIsOtherwise() throws {
        try home.trust()
        let path = try home.programs.program(owner: Bench.user)
        let identity = try home.run(path).identity()
        #expect(identity.identifier == AccessGroup("pinned:\(path)") && identity.groups == [identity.identifier])
        #expect(home.verifier.count == 0)
    }

    /// Each such program is rejected, and never gets the identity that it would have without a signature.
    @Test(arguments: [SignatureDefect.malformed, .unknownTeam, .wrongDigest, .notYetValid, .expired, .wrongPrefix])
    func aSignatureThatDoesNotCountIsNobodys(defect: SignatureDefect) throws {
        let seconds = home.now / 1_000_000_000
        if defect != .unknownTeam { try home.trust() }
        let path = try home.signedProgram { signed in
            switch defect {
            case .wrongDigest: signed.digest = ExecutableDigest(.filled(9))
            case .notYetValid: signed.validFrom = seconds + 1000
            case .expired: signed.validUntil = seconds - 1000
            case .wrongPrefix: signed.identifier = "\(SignedHome.other).mail"
            default: break
            }
        }
        if defect == .malformed { try SignedHome.write("nonsense", to: path + ".codesig") }
        let identity = try home.run(path).identity()
        #expect(identity.defect == defect && identity.state == .rejected)
        #expect(identity.groups.isEmpty && identity.identifier == AccessGroup("rejected:\(path)"))
        let refusal = try #require(identity.refusal)
        #expect(refusal.status == .missingEntitlement && refusal.cause == .notEntitled)
        #expect(refusal.reason.contains(defect.sentence) && refusal.reason.contains(path + ".codesig"))
        // Neither a declaration nor a first item changes that.
        try home.bench.ledger.develop(home.programs.path)
        #expect(try home.run(path).identity().state == .rejected)
        #expect(throws: KeychainError(.missingEntitlement, "")) { try home.bench.resolver.pin(identity) }
    }

    /// The verifier reads strangers' files and may be compromised, so the names that it reports are checked again.
    @Test(arguments: [
        "path:/usr/bin/mail", "pinned:/a", "dev:/a", "team:ABCDE12345:x", "rejected:/a", "", "a\nb", "ABCDE12345.*",
        String(repeating: "a", count: SignatureLimits.maximumNameBytes + 1),
    ])
    func namesThatNoProgramHas(name: String) throws {
        try home.trust()
        let path = try home.signedProgram { $0.applicationGroups = [name] }
        #expect(try home.run(path).identity().defect == .wrongPrefix)
    }

    @Test func moreGroupsThanThereMayBe() throws {
        try home.trust()
        let path = try home.signedProgram { signed in
            signed.applicationGroups = (0...SignatureLimits.maximumGroups).map { "group.\($0)" }
        }
        #expect(try home.run(path).identity().defect == .wrongPrefix)
        try home.sign(path) { $0.applicationGroups = (0..<SignatureLimits.maximumGroups).map { "group.\($0)" } }
        #expect(try home.run(path).identity().groups.count == SignatureLimits.maximumGroups + 1)
    }

    @Test func rootsWordComesFirst() throws {
        try home.trust()
        let path = try home.programs.program(owner: Bench.user)
        try SignedHome.write("nonsense", to: path + ".codesig")
        let place = home.root("signatures/\(try home.digest(of: path)).codesig")
        try home.sign(path, at: place)
        home.lookAgain()
        #expect(try home.run(path).identity().state == .signed)
        // A signature also counts for a program that only root can change.
        try home.sign("/usr/bin/cat", at: home.root("signatures/\(try home.digest(of: "/usr/bin/cat")).codesig"))
        #expect(try home.run("/usr/bin/cat").identity().identifier.name == "\(Self.team).mail")
        #expect(try home.run("/usr/bin/tee").identity().identifier == "path:/usr/bin/tee")
    }

    /// A signature beside an interpreter neither locks its users out nor gives it an identity.
    @Test func sharedProgramsAreNeverSigned() throws {
        try home.trust()
        let path = try home.signedProgram("python3.12")
        let identity = try home.run(path).identity()
        #expect(identity.identifier == AccessGroup("pinned:\(path)") && identity.assurance == .shared)
        let judgement = try home.bench.resolver.judgement(of: path)
        #expect(judgement.isShared && judgement.ignoredSignature == path + ".codesig" && judgement.signature == nil)
    }

    // MARK: Anchors

    @Test func rootsAnchorWins() throws {
        try home.add(key: 2)
        let path = try home.signedProgram()
        let running = try home.run(path)
        let before = try running.identity()
        #expect(before.identifier == AccessGroup("\(Self.team).mail", of: owner(2)))
        try home.trust(key: 1)
        let after = try running.next(before)
        #expect(after.identifier == AccessGroup("\(Self.team).mail", of: owner(1)))
        // A second anchor for a known team is refused, whoever stated the first one.
        #expect(throws: KeychainError(.duplicateItem, "")) { try home.add(key: 3) }
        #expect(home.judge.teams(home.bench.ledger).map(\.problem) == ["", "root's anchor counts"])
    }

    @Test func anAnchorThatIsTakenAwayCountsNoLonger() throws {
        try home.trust()
        let running = try home.run(home.signedProgram())
        let identity = try running.identity()
        #expect(identity.state == .signed)
        try #require(unlink(home.root("teams/\(Self.team).pem")) == 0)
        home.lookAgain()
        #expect(try running.next(identity).defect == .unknownTeam)
        // The user now adds the anchor, and the next request sees it as well.
        try home.add(key: 1)
        let later = try running.next(identity)
        #expect(later.identifier == identity.identifier)
        try home.bench.ledger.carryOut(.removeTeam(Self.team))
        #expect(try running.next(later).defect == .unknownTeam)
    }

    @Test func anAnchorOfAnotherTeamIsNone() throws {
        try home.trust(SignedHome.other)
        try #require(
            rename(home.root("teams/\(SignedHome.other).pem"), home.root("teams/\(Self.team).pem")) == 0)
        home.lookAgain()
        #expect(try home.run(home.signedProgram()).identity().defect == .unreadable)
        #expect(home.judge.teams(home.bench.ledger).map(\.owner) == [nil])
    }

    @Test func profilesAreAskedForWhereRootSaysSo() throws {
        try home.trust()
        try SignedHome.write("", to: home.root("teams/\(Self.team).requires-profiles"))
        home.lookAgain()
        _ = try home.run(home.signedProgram()).identity()
        #expect(home.verifier.questions.withLock { $0.last?.anchor?.requiresProfiles } == true)
    }

    /// With a passcode, a team that was written into the list without it does not count.
    @Test func aTeamCountsAsItWasConfirmed() throws {
        try home.add()
        let running = try home.run(home.signedProgram())
        let identity = try running.identity()
        #expect(identity.state == .signed)
        home.bench.ledger.settle(needsEndorsement: true, isEndorsed: false)
        let unconfirmed = try running.next(identity)
        #expect(unconfirmed.defect == .unknownTeam)
        home.bench.ledger.settle(needsEndorsement: true, isEndorsed: true)
        #expect(try running.next(unconfirmed).state == .signed)
    }

    // MARK: Time and revocation

    @Test func datesAreKeptWhileAConnectionLasts() throws {
        try home.trust()
        let until = home.now / 1_000_000_000 + 100
        let running = try home.run(home.signedProgram { $0.validUntil = until })
        let identity = try running.identity()
        #expect(identity.state == .signed)
        home.wait(seconds: 101)
        #expect(home.bench.resolver.needsRefreshing(identity))
        let expired = try running.next(identity)
        #expect(expired.defect == .expired)
        home.wait(seconds: -50)
        #expect(try running.next(expired).state == .signed)
    }

    @Test func whatIsRevokedIsRefusedWithTheNextRequest() throws {
        try home.trust()
        let path = try home.signedProgram {
            $0.certificates = [.filled(7)]
            $0.keys = [.filled(6)]
        }
        let running = try home.run(path)
        let identity = try running.identity()
        #expect(identity.state == .signed)
        // The revoked objects are the signer's key and certificate, the anchor's key, and the program.
        for line in [
            "key \(Bytes32.filled(6))", "certificate \(Bytes32.filled(7))", "key \(Bytes32.filled(1))",
            "program \(try home.digest(of: path))",
        ] {
            try SignedHome.write("# since yesterday\n\n\(line)\n", to: home.root("revoked"))
            home.lookAgain()
            #expect(try running.next(identity).defect == .revoked, "\(line)")
            try SignedHome.write("certificate \(Bytes32.filled(8))\n", to: home.root("revoked"))
            home.lookAgain()
            #expect(try running.next(identity).state == .signed)
        }
    }

    /// An unreadable list may revoke exactly this program.
    @Test(arguments: ["certificate 12", "nonsense", "link", "group", "large", "folder"])
    func aListThatCannotBeReadRevokesEverything(what: String) throws {
        try home.trust()
        let running = try home.run(home.signedProgram())
        let identity = try running.identity()
        let list = home.root("revoked")
        switch what {
        case "link": try #require(symlink("/dev/null", list) == 0)
        case "folder": try SignedHome.makeFolder(list)
        case "large": try SignedHome.write(String(repeating: "#\n", count: 1 << 20), to: list)
        default:
            try SignedHome.write(what == "group" ? "# nothing\n" : what + "\n", to: list)
            if what == "group" { try #require(chown(list, Bench.user, 0) == 0) }
        }
        home.lookAgain()
        #expect(try running.next(identity).defect == .unreadable)
        #expect(home.judge.problems.revocations != nil)
    }

    @Test func whereNobodyLooksNothingCounts() throws {
        try home.trust()
        home.verifier.isThere.withLock { $0 = false }
        let running = try home.run(home.signedProgram())
        let identity = try running.identity()
        #expect(identity.defect == .unreadable && identity.refusal?.reason.contains("nobody is there") == true)
        home.verifier.isThere.withLock { $0 = true }
        home.lookAgain()
        #expect(try running.next(identity).state == .signed)
    }

    // MARK: What it costs

    /// A connection of a signed program only reads the time, and once a second the status of a few files.
    @Test func aLookUpCostsNoQuestion() throws {
        try home.trust()
        let running = try home.run(home.signedProgram())
        let identity = try running.identity()
        // A file that changed within the last second is read again.
        home.wait(seconds: 5)
        var current = try running.next(identity)
        home.wait(seconds: 5)
        current = try running.next(current)
        let (asked, calls) = (home.verifier.count, home.system.total)
        for _ in 0..<1000 { #expect(!home.bench.resolver.needsRefreshing(current)) }
        #expect(home.verifier.count == asked && home.system.total == calls)
        home.lookAgain()
        #expect(!home.bench.resolver.needsRefreshing(current))
        #expect(home.system.total - calls <= 8 && home.verifier.count == asked)
    }

    /// The signature of a program is verified twice for all its connections: to learn its team, and under the anchor.
    @Test func oneProgramIsLookedAtOnce() throws {
        try home.trust()
        let path = try home.signedProgram()
        let running = try (0..<4).map { _ in try home.run(path) }
        for program in running { #expect(try program.identity().state == .signed) }
        #expect(home.verifier.count == 2 && home.verifier.examinations.withLock { $0 } == 1)
        // Another anchor key needs another examination.
        try home.trust(key: 5)
        for program in running { #expect(try program.identity().state == .signed) }
        #expect(home.verifier.count == 3)
        // Another signature needs another examination.
        try home.sign(path) { $0.groups = ["\(Self.team).more"] }
        for program in running { #expect(try program.identity().groups.count == 2) }
        #expect(home.verifier.count == 5)
    }
}
