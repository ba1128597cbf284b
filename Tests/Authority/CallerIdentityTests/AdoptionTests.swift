import ChatelaineModel
import Foundation
import Glibc
import TestSupport
import Testing

@testable import CallerIdentity

/// A program that is signed takes over its items, and the list remembers the adoption.
@Suite struct AdoptionTests {
    private let home: SignedHome
    private var resolver: IdentityResolver { home.bench.resolver }
    private var ledger: ApplicationLedger { home.bench.ledger }

    init() throws {
        home = try SignedHome()
        try home.trust()
    }

    private func pinned(_ name: String) throws -> String {
        let path = try home.programs.program(name, owner: Bench.user)
        try ledger.pin(try #require(CanonicalPath(path)), digest: try home.digest(of: path))
        return path
    }

    @Test func theRecordedFileTakesItsItems() throws {
        let path = try pinned("writer")
        #expect(throws: KeychainError(.param, "")) { try resolver.adoption(of: path) }
        try home.sign(path)
        let adoption = try resolver.adoption(of: path)
        #expect(adoption.unsigned == AccessGroup("pinned:\(path)") && adoption.signed.name == "\(SignedHome.team).mail")
        #expect(adoption.signed.isOfTeam)
    }

    @Test func anotherFileDoesNot() throws {
        let path = try pinned("writer")
        let next = try home.programs.program("next", padding: "another", owner: Bench.user)
        try #require(rename(next, path) == 0)
        try home.sign(path)
        #expect(throws: KeychainError(.authFailed, "")) { try resolver.adoption(of: path) }
    }

    @Test func aSignatureThatDoesNotCountIsNone() throws {
        let path = try pinned("writer")
        try home.sign(path, team: SignedHome.other)
        #expect(throws: KeychainError(.param, "")) { try resolver.adoption(of: path) }
    }

    /// Nobody knows which program stored the items of a program in development.
    @Test func aProgramInDevelopmentAdoptsNothing() throws {
        let path = try home.programs.program("writer", owner: Bench.user)
        try ledger.carryOut(.develop(try #require(CanonicalPath(path)), isFolder: false))
        try home.sign(path)
        #expect(throws: KeychainError(.param, "")) { try resolver.adoption(of: path) }
    }

    /// Items that come back to a program without a record are recorded for the adopted file.
    @Test func whatComesBackIsTheRecordedFiles() throws {
        let path = try home.signedProgram("writer")
        let adoption = try resolver.adoption(of: path)
        try resolver.pin(adoption)
        #expect(ledger.evaluate(adoption.path, digest: adoption.digest) == .pinned)
    }

    @Test func itIsRemembered() throws {
        let path = try pinned("writer")
        try home.sign(path)
        let adoption = try resolver.adoption(of: path)
        try ledger.noteAdoption(of: adoption.path, adoption.digest, to: adoption.signed)
        let reopened = try home.bench.reopened()
        for ledger in [ledger, reopened] {
            let record = try #require(ledger.adoptions().first)
            #expect(record.group == adoption.signed && record.digest == adoption.digest)
            #expect(record.path == adoption.path && ledger.adoptions().count == 1)
        }
        try ledger.noteAdoption(of: adoption.path, adoption.digest, to: nil)
        #expect(ledger.adoptions().isEmpty)
    }

    @Test func theOldestMakesRoom() throws {
        let digest = Bench.digest(1)
        // To save writes, all adoptions but the last are put into the list at once.
        try ledger.change { state in
            for number in 0..<AdoptionRecord.maximumCount {
                let path: CanonicalPath = "/\(number)"
                state.adoptions[path] = AdoptionRecord(
                    path: path, digest: digest, group: "g", date: Int64(number))
            }
            return true
        }
        try ledger.noteAdoption(of: "/last", digest, to: "g")
        let paths = ledger.adoptions().map(\.path)
        #expect(paths.count == AdoptionRecord.maximumCount && paths.contains("/last") && !paths.contains("/0"))
    }
}
