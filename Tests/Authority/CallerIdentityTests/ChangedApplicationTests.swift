import ChatelaineModel
import Foundation
import TestSupport
import Testing

@testable import CallerIdentity

/// A program is followed from its first item through a rebuild to the user's decision.
@Suite(.enabled(if: Bench.isRoot, Bench.needsRoot))
struct ChangedApplicationTests {
    private let folder: TemporaryFolder
    private let bench: Bench

    init() throws {
        folder = try TemporaryFolder(isRootOnly: false, owner: Bench.user)
        bench = try Bench()
    }

    @Test func changedProgramIsRefusedUntilAccepted() throws {
        let path = try folder.program(owner: Bench.user)
        let first = try bench.identify([path])
        try bench.resolver.pin(first)
        #expect(try bench.identify([path]).state == .pinned)

        try folder.program(padding: "rebuilt", owner: Bench.user)
        let child = try Child([path], uid: Bench.user)
        try #require(child.answers())
        let snapshot = try ExecutableSnapshot(of: child.handle())
        let changed = try bench.resolver.identify(snapshot)
        #expect(changed.state == .changed)
        #expect(changed.identifier == first.identifier)
        let refusal = try #require(changed.refusal)
        #expect(refusal.status == .authFailed)
        #expect(refusal.reason.contains("security app accept \(path)"))
        #expect(refusal.reason.contains("security app develop \(path)"))
        #expect(throws: KeychainError(.authFailed, "")) { try bench.resolver.pin(changed) }
        #expect(bench.resolver.applications().map(\.state) == [.changed])

        #expect(try bench.resolver.refreshed(changed, snapshot) == changed)
        try bench.resolver.accept(path)
        let accepted = try bench.resolver.refreshed(changed, snapshot)
        #expect(accepted.state == .pinned)
        #expect(accepted.refusal == nil)
        #expect(bench.resolver.applications().map(\.state) == [.pinned])
        // The old file would now count as the changed one.
        #expect(try bench.resolver.refreshed(first, snapshot).state == .changed)
    }

    @Test func twoProgramsAtOnePathRaceForTheirFirstItem() throws {
        let path = try folder.program(owner: Bench.user)
        let first = try bench.identify([path])
        try folder.program(padding: "other", owner: Bench.user)
        let second = try bench.identify([path])
        try bench.resolver.pin(first)
        do {
            try bench.resolver.pin(second)
            Issue.record("a second program took over the path")
        } catch {
            #expect(error.status == .authFailed)
            #expect(error.reason.contains("security app accept"))
        }
    }

    @Test func programInDevelopmentChangesAllDay() throws {
        let path = try folder.program(owner: Bench.user)
        let child = try Child([path], uid: Bench.user)
        try #require(child.answers())
        let snapshot = try ExecutableSnapshot(of: child.handle())
        let before = try bench.resolver.identify(snapshot)
        try bench.resolver.pin(before)
        try bench.ledger.develop(folder.path)
        let during = try bench.resolver.refreshed(before, snapshot)
        #expect(during.identifier == "dev:\(path)")
        #expect(during.displayName == "app (in development)")
        try bench.resolver.pin(during)

        try folder.program(padding: "rebuilt", owner: Bench.user)
        let rebuilt = try Child([path], uid: Bench.user)
        try #require(rebuilt.answers())
        let later = try ExecutableSnapshot(of: rebuilt.handle())
        let identity = try bench.resolver.identify(later)
        #expect(identity.identifier == "dev:\(path)")
        #expect(identity.digest == nil)
        try bench.ledger.forget(folder.path)
        let after = try bench.resolver.refreshed(identity, later)
        #expect(after.identifier == "pinned:\(path)")
        #expect(after.state == .changed)
    }

    @Test func interpreterInADevelopmentFolderStaysShared() throws {
        try bench.ledger.develop(folder.path)
        let identity = try bench.identify([try folder.program("lua5.4", owner: Bench.user)])
        #expect(identity.assurance == .shared)
        #expect(identity.displayName.contains("any script"))
    }

    @Test func runningProgramKeepsItsIdentityWhenItsFileGoes() throws {
        let path = try folder.program(owner: Bench.user)
        let child = try Child([path], uid: Bench.user)
        try #require(child.answers())
        let snapshot = try ExecutableSnapshot(of: child.handle())
        let identity = try bench.resolver.identify(snapshot)
        try bench.resolver.pin(identity)
        unlink(path)
        #expect(snapshot.isStillRunning())
        #expect(try bench.resolver.refreshed(identity, snapshot).state == .pinned)
    }

    @Test func missingProgramIsListedAndCannotBeAccepted() throws {
        let path = try folder.program(owner: Bench.user)
        try bench.resolver.pin(try bench.identify([path]))
        unlink(path)
        #expect(bench.resolver.applications().map(\.state) == [nil])
        #expect(throws: KeychainError(.param, "")) { try bench.resolver.accept(path) }
        #expect(throws: KeychainError(.param, "")) { try bench.resolver.accept("app") }
        #expect(throws: KeychainError(.itemNotFound, "")) { try bench.resolver.accept("/usr/bin/cat") }
    }
}
