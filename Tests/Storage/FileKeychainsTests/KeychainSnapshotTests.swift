import ChatelaineModel
import Foundation
import TestSupport
import Testing

@testable import FileKeychains
@testable import StoreEngine

/// Snapshots of a keychain are taken while it is open.
@Suite struct KeychainSnapshotTests {
    let fixture: KeychainFixture

    init() throws { fixture = try KeychainFixture() }

    /// A secret so large that a keychain with several of them is copied in more than one step.
    private static let large = String(repeating: "s", count: 100_000)

    private func snapshots(of keychain: FileKeychain) throws -> StoreSnapshots {
        let (name, places) = (try keychain.header().keychain, fixture.places)
        return StoreSnapshots(folder: places.store(of: name), mark: places.mark(of: name))
    }

    private func drafts() throws -> [String] {
        guard let folder = try fixture.ours().first(where: { $0.hasSuffix(".snapshots") }) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: "\(fixture.folder.path)/open/\(folder)")
            .filter { $0.hasSuffix(".part") }
    }

    private func aside(_ body: @escaping @Sendable () -> Void) -> DispatchSemaphore {
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            body()
            done.signal()
        }
        return done
    }

    /// SQLite does not close a database while a copy of it is being made.
    @Test func aLockEndsASnapshotAndLeavesNothing() throws {
        let keychain = try fixture.made("work")
        for index in 0..<60 { try keychain.add("svc", "\(index)", Self.large) }
        for _ in 0..<5 {
            let store = try keychain.store()
            let copying = aside { keychain.takeSnapshotIfDue(of: store) }
            var looks = 0
            while try drafts().isEmpty, try snapshots(of: keychain).list().isEmpty {
                looks += 1
                try #require(looks < 60_000, "no snapshot begins")
                usleep(500)
            }
            #expect(try fixture.lock(keychain))
            #expect(try fixture.links("work") == 1)
            copying.wait()
            #expect(try drafts().isEmpty)
            try fixture.unlock(keychain)
        }
        #expect(!fixture.said().contains("snapshot failed"), "\(fixture.said())")
        keychain.takeSnapshotIfDue(of: try keychain.store())
        #expect(try snapshots(of: keychain).list().first?.items == 60)
        #expect(try keychain.secret("svc", "7") == Self.large)
    }

    @Test func nothingOfASnapshotStaysOfAKeychainThatIsDeleted() throws {
        for _ in 0..<5 {
            let keychain = try fixture.made("work")
            for index in 0..<20 { try keychain.add("svc", "\(index)", Self.large) }
            let store = try keychain.store()
            let copying = aside { keychain.takeSnapshotIfDue(of: store) }
            usleep(2000)
            try keychain.delete(fixture.custodian.forget)
            copying.wait()
            #expect(try fixture.ours().isEmpty)
        }
    }

    /// The file records when the last snapshot was taken, but that snapshot may lie on another machine.
    @Test func oneIsTakenWhereNoneLies() throws {
        let keychain = try fixture.made("work")
        keychain.takeSnapshotIfDue(of: try keychain.store())
        #expect(try snapshots(of: keychain).list().isEmpty, "there is nothing in it")
        try keychain.add("svc", "anna", "1")
        for _ in 0..<2 { keychain.takeSnapshotIfDue(of: try keychain.store()) }
        #expect(try snapshots(of: keychain).list().count == 1)
        try fixture.lock(keychain)
        try fixture.copy("work", to: "copy")
        let there = fixture.keychain("copy", places: fixture.places("other"))
        try fixture.unlock(there)
        for _ in 0..<2 { there.takeSnapshotIfDue(of: try there.store()) }
        let names = try FileManager.default.contentsOfDirectory(atPath: "\(fixture.folder.path)/other")
        let folder = try #require(names.first { $0.hasSuffix(".snapshots") })
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: "\(fixture.folder.path)/other/\(folder)").count == 1)
    }

    /// An older copy keeps its content when its owner puts it back or uses it beside the keychain.
    ///
    /// The copy reports its age, and gets none of the later changes.
    @Test func anOlderCopyTakesNothingFromANewerSnapshot() throws {
        let keychain = try fixture.made("work")
        try keychain.add("svc", "early", "1")
        try fixture.lock(keychain)
        try fixture.copy("work", to: "copy")
        try fixture.unlock(keychain)
        try keychain.add("svc", "late", "2")
        keychain.takeSnapshotIfDue(of: try keychain.store())
        #expect(try snapshots(of: keychain).list().first?.items == 2)
        try fixture.lock(keychain)
        let copy = fixture.keychain("copy")
        try fixture.unlock(copy)
        #expect(try !copy.store().isRecovering)
        #expect(try copy.secret("svc", "early") == "1" && copy.secret("svc", "late") == nil)
        #expect(try copy.store().losses().contains { $0.changes != 0 })
        try fixture.lock(copy)
        #expect(try fixture.links("copy") == 1)
        try fixture.unlock(keychain)
        #expect(try keychain.secret("svc", "late") == "2")
    }

    // MARK: Copies that others take

    /// The report stays until somebody acknowledges it, even after the file is put back as if it had never been open.
    @Test func whatACopyMayLackIsTold() throws {
        let keychain = try fixture.made("work")
        try keychain.add("svc", "before", "1")
        try fixture.copy("work", to: "copy")
        let (copy, places) = (fixture.keychain("copy", places: fixture.places("other")), fixture.places("other"))
        #expect(try copy.condition().mayLackChanges)
        try fixture.unlock(copy)
        #expect(try copy.condition().mayLackChanges)
        #expect(try copy.store().losses().map(\.changes) == [nil])
        try fixture.lock(copy)
        #expect(try !copy.condition().mayLackChanges)
        #expect(try places.keychainsWithLosses().map(\.path) == [fixture.path("copy")])
        try fixture.unlock(copy)
        #expect(try copy.store().losses().count == 1)
        #expect(try copy.store().acknowledgeLosses() != nil)
        #expect(try copy.store().losses().isEmpty)
        #expect(try places.keychainsWithLosses().isEmpty)
        #expect(try fixture.places.keychainsWithLosses().isEmpty)
    }

    @Test func whatIsAcknowledgedIsNotToldWhileItStaysOpen() throws {
        let keychain = try fixture.made("work")
        try keychain.add("svc", "before", "1")
        try fixture.copy("work", to: "copy")
        let copy = fixture.keychain("copy", places: fixture.places("other"))
        try fixture.unlock(copy)
        #expect(try copy.condition().mayLackChanges && copy.store().acknowledgeLosses() != nil)
        copy.noteAcknowledgement()
        #expect(try !copy.condition().mayLackChanges)
    }
}
