import ChatelaineModel
import Foundation
import TestSupport
import Testing
import TrustProtocol

@testable import CallerIdentity

/// Teams that the user adds are kept sealed, count as confirmed, and never have two anchors.
@Suite struct TeamDecisionTests {
    private let bench: Bench
    private var ledger: ApplicationLedger { bench.ledger }
    private static let team = SignedHome.team
    private static let endorsement = Endorsement(
        number: 1, signature: [UInt8](repeating: 9, count: Endorsement.signatureBytes))

    init() throws { bench = try Bench() }

    private func record(
        _ team: TeamIdentifier = SignedHome.team, key: UInt8 = 1, certificate: [UInt8] = [0x30, 1, 2]
    ) -> TeamRecord {
        TeamRecord(
            owner: TeamOwner(team: team, anchorKey: .filled(key)), certificate: certificate, subject: "OU=\(team)",
            validFrom: 1, validUntil: 2, since: 0)
    }

    private func endorse(_ decision: ApplicationLedger.Decision) throws {
        try ledger.carryOut(try ledger.prepare(decision, isToBeEndorsed: true), Self.endorsement)
    }

    @Test func teamsComeBack() throws {
        try ledger.carryOut(.addTeam(record()))
        try ledger.carryOut(.addTeam(record(SignedHome.other, key: 2)))
        for ledger in [ledger, try bench.reopened()] {
            #expect(ledger.teams().map(\.owner.team) == [Self.team, SignedHome.other])
            #expect(ledger.teams()[0].since > 1_700_000_000 && ledger.teams()[0].subject == "OU=\(Self.team)")
            #expect(
                ledger.anchor(of: Self.team)
                    == TeamAnchor(owner: record().owner, certificate: record().certificate))
        }
        try ledger.carryOut(.removeTeam(Self.team))
        #expect(try bench.reopened().teams().map(\.owner.team) == [SignedHome.other])
        #expect(throws: KeychainError(.itemNotFound, "")) { try ledger.carryOut(.removeTeam(Self.team)) }
    }

    /// All items of a team are kept under its first key.
    ///
    /// A second anchor would inherit nothing and take the place of the first one's programs.
    @Test func aTeamHasOneAnchor() throws {
        try ledger.carryOut(.addTeam(record()))
        #expect(throws: KeychainError(.duplicateItem, "")) { try ledger.carryOut(.addTeam(record(key: 2))) }
        // Adding the same again changes nothing. A renewed certificate with the same key has the same owner.
        let generation = ledger.generation
        try ledger.carryOut(.addTeam(record()))
        #expect(ledger.generation == generation)
        try ledger.carryOut(.addTeam(record(certificate: [0x30, 3])))
        #expect(ledger.teams().map(\.certificate) == [[0x30, 3]])
        try ledger.carryOut(.removeTeam(Self.team))
        try ledger.carryOut(.addTeam(record(key: 2)))
        #expect(ledger.anchor(of: Self.team)?.owner.anchorKey == .filled(2))
    }

    @Test func thereIsRoomForSoMany() throws {
        let letters = Array("ABCDEFGHIJKLMNOP")
        for number in 0..<SignatureLimits.maximumTeams {
            let team = TeamIdentifier.test("AAAAAAAA\(letters[number / 16])\(letters[number % 16])")
            try ledger.carryOut(
                .addTeam(record(team, certificate: [UInt8](repeating: 1, count: SignatureLimits.maximumAnchorBytes))))
        }
        #expect(throws: KeychainError(.notAvailable, "")) { try ledger.carryOut(.addTeam(record())) }
        #expect(try bench.reopened().teams() == ledger.teams())
    }

    @Test func aTeamWidensAccess() throws {
        ledger.settle(needsEndorsement: true, isEndorsed: false)
        #expect(throws: KeychainError(.authFailed, "")) { try ledger.carryOut(.addTeam(record())) }
        #expect(ledger.anchor(of: Self.team) == nil)
        try endorse(.addTeam(record()))
        #expect(ledger.anchor(of: Self.team) != nil)
        #expect(throws: KeychainError(.authFailed, "")) { try ledger.carryOut(.removeTeam(Self.team)) }
        // The teams count as signed once the custodian has checked the signature.
        let next = try bench.reopened()
        next.settle(needsEndorsement: true, isEndorsed: false)
        #expect(next.anchor(of: Self.team) == nil && next.claim?.digest == ledger.claim?.digest)
        next.settle(needsEndorsement: true, isEndorsed: true)
        #expect(next.anchor(of: Self.team) != nil)
    }

    /// The next decision does not also sign a team that was written without the passcode. A signed team replaces it.
    @Test func aTeamThatNobodyConfirmedStaysSo() throws {
        try ledger.carryOut(.addTeam(record(key: 6)))
        ledger.settle(needsEndorsement: true, isEndorsed: false)
        try endorse(.develop("/c", isFolder: true))
        #expect(ledger.anchor(of: Self.team) == nil && !ledger.counts(ledger.teams()[0]))
        try endorse(.addTeam(record()))
        #expect(ledger.anchor(of: Self.team)?.owner == record().owner)
    }

    @Test func theFirstPasscodeConfirmsTeams() throws {
        #expect(try !ledger.prepare(.confirmAll, isToBeEndorsed: true).widensAccess)
        try ledger.carryOut(.addTeam(record()))
        #expect(try ledger.prepare(.confirmAll, isToBeEndorsed: true).widensAccess)
        try endorse(.confirmAll)
        #expect(ledger.anchor(of: Self.team) != nil)
    }

    /// Another certificate, team or key gives another signed list.
    @Test func whatIsSignedNamesTheAnchor() throws {
        let digests = try [record(), record(key: 2), record(certificate: [1]), record(SignedHome.other)].map {
            try ledger.prepare(.addTeam($0), isToBeEndorsed: true).digest
        }
        #expect(Set(digests).count == digests.count)
        try ledger.carryOut(.addTeam(record()))
        #expect(try ledger.prepare(.removeTeam(Self.team), isToBeEndorsed: true).digest != digests[0])
    }

    @Test func revokedLines() throws {
        let one = String(repeating: "aB", count: 32)
        let list = try RevocationList(
            Array("# a comment\n\n  certificate  \(one)\nprogram\t\(Bytes32.filled(2))".utf8))
        #expect(list.certificates == [.filled(0xAB)] && list.programs == [.filled(2)] && list.keys.isEmpty)
        #expect(try RevocationList(Array("key \(one)".utf8)).keys == [.filled(0xAB)])
        #expect(try RevocationList([]) == RevocationList())
        for (line, text) in [
            (1, "certificate"), (2, "\nprogram \(one)0"), (1, "program \(one.dropLast())"), (1, "Program \(one)"),
            (3, "#\n#\nprogram \(one) # why"), (1, "certificate gg\(one.dropFirst(2))"), (1, "\u{FEFF}# comment"),
        ] {
            let error = #expect(throws: RevocationList.Unreadable.self) { try RevocationList(Array(text.utf8)) }
            #expect(error?.line == line, "\(text)")
        }
    }
}
