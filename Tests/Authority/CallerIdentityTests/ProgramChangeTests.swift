import ChatelaineModel
import TestSupport
import Testing

@testable import CallerIdentity

/// A user is asked about a changed program, and the list remembers the answer.
@Suite struct ProgramChangeTests {
    private let bench: Bench
    private var ledger: ApplicationLedger { bench.ledger }
    private let one = Bench.digest(1)
    private let two = Bench.digest(2)

    init() throws {
        bench = try Bench()
        try ledger.pin("/a", digest: one)
    }

    private func change(to digest: ExecutableDigest) throws -> ProgramChange {
        ProgramChange(record: try #require(ledger.pin(at: "/a")), digest: digest, modified: 7)
    }

    @Test func whatIsAcceptedIsRemembered() throws {
        let change = try change(to: two)
        #expect(change.former == one && change.record.decided == change.record.since)
        try ledger.carryOut(.acceptChange(change))
        #expect(ledger.evaluate("/a", digest: two) == .pinned)
        for ledger in [ledger, try bench.reopened()] {
            let record = try #require(ledger.changes().first)
            #expect(record.path == "/a" && record.former == one && record.digest == two)
            #expect(record.recorded == change.record.since && record.date >= record.recorded)
        }
        // Changes are remembered in order, whichever way they were accepted. Accepting the same digest again is no
        // change.
        try ledger.accept("/a", digest: one)
        try ledger.accept("/a", digest: one)
        #expect(ledger.changes().map(\.former) == [one, two])
        try ledger.forget("/a")
        #expect(ledger.changes().count == 2)
    }

    @Test func theRecordIsTheOneThatWasShown() throws {
        let change = try change(to: two)
        try ledger.accept("/a", digest: two)
        let before = ledger.list()
        #expect(throws: KeychainError(.notAvailable, "")) { try ledger.carryOut(.acceptChange(change)) }
        try ledger.forget("/a")
        #expect(throws: KeychainError(.notAvailable, "")) { try ledger.carryOut(.acceptChange(change)) }
        #expect(before.count == 1 && ledger.list().isEmpty && ledger.changes().count == 1)
    }

    /// The record changes between the user's look at the decision and its end.
    @Test func theRecordStaysTheOneThatWasShown() throws {
        let draft = try ledger.prepare(.acceptChange(try change(to: two)), isToBeEndorsed: true)
        try ledger.accept("/a", digest: two)
        #expect(throws: KeychainError(.notAvailable, "")) { try ledger.carryOut(draft, Bench.endorsement) }
        #expect(ledger.claim == nil)
    }

    @Test func withAPasscodeItTakesAnEndorsement() throws {
        let change = try change(to: two)
        ledger.settle(needsEndorsement: true, isEndorsed: false)
        #expect(throws: KeychainError(.authFailed, "")) { try ledger.carryOut(.acceptChange(change)) }
        try ledger.carryOut(try ledger.prepare(.acceptChange(change), isToBeEndorsed: true), Bench.endorsement)
        #expect(ledger.evaluate("/a", digest: two) == .pinned && ledger.changes().count == 1)
    }

    /// A program that was accepted without the passcode counts as changed, and nobody knows which digest would count.
    @Test func whatNobodyConfirmedHasNoFormer() throws {
        try ledger.accept("/a", digest: two)
        ledger.settle(needsEndorsement: true, isEndorsed: false)
        #expect(ledger.evaluate("/a", digest: two) == .changed)
        let change = try change(to: two)
        #expect(change.former == nil)
        try ledger.carryOut(try ledger.prepare(.acceptChange(change), isToBeEndorsed: true), Bench.endorsement)
        #expect(ledger.evaluate("/a", digest: two) == .pinned && ledger.changes().count == 1)
    }

    @Test func theOldestMakesRoom() throws {
        try ledger.change { state in
            for number in 0..<ChangeRecord.maximumCount {
                state.changes.append(
                    ChangeRecord(path: "/b", former: one, recorded: 0, digest: two, date: Int64(number)))
            }
            return true
        }
        try ledger.accept("/a", digest: two)
        let changes = ledger.changes()
        #expect(changes.count == ChangeRecord.maximumCount && changes.last?.path == "/a" && changes.first?.date == 1)
    }

    @Test func onlyAChangedProgramIsLetInOnce() throws {
        guard Bench.isRoot else { return print("SKIPPED (needs root): \(#function)") }
        let folder = try TemporaryFolder(isRootOnly: false, owner: Bench.user)
        let path = try folder.program(owner: Bench.user)
        let first = try bench.identify([path])
        try bench.resolver.pin(first)
        try folder.program(padding: "rebuilt", owner: Bench.user)
        let child = try Child([path], uid: Bench.user)
        try #require(child.answers())
        let snapshot = try ExecutableSnapshot(of: child.handle())
        let changed = try bench.resolver.identify(snapshot)
        let change = try #require(bench.resolver.change(of: changed, snapshot))
        #expect(change.former == first.digest && change.digest == changed.digest && change.modified > 0)
        #expect(bench.resolver.isCurrent(change))
        let admitted = changed.admittedOnce()
        #expect(admitted.refusal == nil && admitted.state == .changed && changed.refusal != nil)
        // The admission is not recorded, and the next check refuses the program.
        try bench.resolver.pin(admitted)
        #expect(bench.ledger.list().count == 2 && bench.ledger.changes().isEmpty)
        try bench.ledger.pin("/other", digest: one)
        #expect(try bench.resolver.refreshed(admitted, snapshot).refusal != nil)
        // Another file at the path, or another record, makes the shown change obsolete.
        try folder.program(padding: "another", owner: Bench.user)
        #expect(!bench.resolver.isCurrent(change))
        try folder.program(padding: "rebuilt", owner: Bench.user)
        #expect(bench.resolver.isCurrent(change))
        try bench.resolver.accept(path)
        #expect(!bench.resolver.isCurrent(change))
        #expect(bench.resolver.change(of: first.admittedOnce(), snapshot) == nil)
    }
}
