import ChatelaineMemory
import ChatelaineModel
import Foundation
import Synchronization
import Testing

@testable import ItemStore
@testable import StoreEngine

/// Copies sealed by former keys: snapshots, stores that were set aside, and stores that are put back.
extension ResealingTests {
    @Test func formerCopiesAreDeletedOnceThereIsANewOne() throws {
        let store = try fixture.open()
        for index in 0..<10 { try store.add(StoreFixture.item(index)) }
        for index in 0..<3 {
            _ = try store.takeSnapshot(.request)
            try store.add(StoreFixture.item(20 + index))
        }
        let manager = FileManager.default
        let quarantine = fixture.places.quarantine
        for name in ["20260101T000000Z-1", "20260101T000000Z-2-draft", "mine"] {
            try manager.createDirectory(atPath: "\(quarantine)/\(name)", withIntermediateDirectories: true)
            try Data([1]).write(to: URL(fileURLWithPath: "\(quarantine)/\(name)/items.db"))
        }
        let unlisted = "\(fixture.places.snapshots)/20260101T000000Z-1"
        try manager.createDirectory(atPath: unlisted, withIntermediateDirectories: true)
        try Data([1]).write(to: URL(fileURLWithPath: unlisted + "/items.db"))
        let draft = fixture.folder + ".new.restored.part"
        try manager.createDirectory(atPath: draft, withIntermediateDirectories: true)
        // A user keeps a copy of a snapshot.
        let old = try #require(try fixture.snapshots.list().last)
        try manager.copyItem(
            atPath: "\(fixture.places.snapshots)/\(old.name)", toPath: fixture.folder + ".kept")
        keys.replaceKeys()
        keys.state.withLock { $0.destructionFails = true }
        #expect(throws: KeychainError.self) { try finish(store) }
        // The copies are deleted and the keys still exist. The next attempt completes the work.
        #expect(try fixture.snapshots.list().map(\.reason) == [.newKeys])
        #expect(keys.state.withLock { !$0.superseded.isEmpty } && store.resealingProgress()?.percent == 99)
        #expect(throws: KeychainError.self) { try finish(store) }
        keys.state.withLock { $0.destructionFails = false }
        try finish(store)
        #expect(keys.state.withLock { $0.superseded.isEmpty })
        #expect(try manager.contentsOfDirectory(atPath: quarantine) == ["mine"])
        #expect(!manager.fileExists(atPath: draft) && !manager.fileExists(atPath: unlisted))
        let list = try String(contentsOfFile: fixture.places.losses, encoding: .utf8)
        #expect(list.components(separatedBy: "\"event\":\"store-deleted\"").count == 3)
        // The error says why the snapshot cannot be used, and nothing happens.
        try manager.moveItem(
            atPath: fixture.folder + ".kept", toPath: "\(fixture.places.snapshots)/\(old.name)")
        do {
            _ = try fixture.snapshots.prepare(old.name, keys: keys)
            Issue.record("a snapshot that nothing opens was made ready")
        } catch {
            #expect(error.cause == .unusableSnapshot && error.reason.contains("keys were replaced"))
        }
        #expect(try fixture.accounts(store).isSuperset(of: 0..<10))
        // The new snapshot can be restored.
        let new = try #require(try fixture.snapshots.list().first)
        let prepared = try fixture.snapshots.prepare(new.name, keys: keys)
        _ = try fixture.snapshots.activate(prepared, replacing: store, log: { _ in })
        #expect(try fixture.accounts(fixture.open()).isSuperset(of: 0..<10))
    }

    @Test func aSnapshotThatIsBeingRestoredIsNoneOnceItsKeysAreGone() throws {
        let store = try fixture.open()
        for index in 0..<10 { try store.add(StoreFixture.item(index)) }
        let old = try store.takeSnapshot(.request)
        keys.replaceKeys()
        let draft = try fixture.snapshots.prepare(old.name, keys: keys)
        try finish(store)
        #expect(throws: KeychainError(.notAvailable, "")) {
            _ = try fixture.snapshots.activate(draft, replacing: store, log: { _ in })
        }
        #expect(try fixture.accounts(fixture.open()) == Set(0..<10))
    }

    @Test func aStoreOfBeforeComesBackFromTheSnapshot() throws {
        try fixture.fill()
        let copy = fixture.folder + ".copy"
        try FileManager.default.copyItem(atPath: fixture.folder, toPath: copy)
        keys.replaceKeys()
        do {
            let store = try fixture.open()
            try finish(store)
            store.retire()
        }
        try FileManager.default.removeItem(atPath: fixture.folder)
        try FileManager.default.moveItem(atPath: copy, toPath: fixture.folder)
        let store = try fixture.open()
        #expect(try fixture.accounts(store) == Set(0..<40))
        while try store.continueRecovery() {}
        // The loss is reported: another history goes on, and no row of the old one opens any more.
        #expect(try LossReport.sum(store.losses()) != nil)
        #expect(try fixture.accounts(store) == Set(0..<40))
    }

    @Test func aRecoveryComesFirst() throws {
        try fixture.fill(0..<400)
        keys.replaceKeys()
        try fixture.garblePage(1)
        let store = try fixture.open()
        #expect(store.isRecovering)
        #expect(try !store.continueResealing())
        while try store.continueRecovery() {}
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.places.quarantine).count == 1)
        try finish(store)
        #expect(try named(store) == 0 && fixture.accounts(store) == Set(0..<400))
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.places.quarantine).isEmpty)
        #expect(keys.state.withLock { $0.superseded.isEmpty })
    }

    @Test func keysMayBeReplacedAgainMeanwhile() throws {
        let store = try fixture.open()
        for index in 0..<300 { try store.add(StoreFixture.item(index)) }
        keys.replaceKeys()
        for _ in 0..<2 { #expect(try store.continueResealing()) }
        keys.replaceKeys()
        try finish(store)
        #expect(keys.state.withLock { $0.superseded.isEmpty && $0.destroyed.count > 2 })
        #expect(try named(store) == 0 && fixture.accounts(store).count == 300)
    }

    @Test func twoStoresDoNotMeetEachOther() throws {
        let other = StoreFixture()
        let (store, second) = (try fixture.open(), try other.open())
        for index in 0..<10 {
            try store.add(StoreFixture.item(index))
            try second.add(StoreFixture.item(index))
        }
        keys.replaceKeys()
        try finish(second)
        #expect(keys.state.withLock { !$0.superseded.isEmpty } && store.resealingProgress() != nil)
        #expect(try other.snapshots.list().isEmpty)
        try finish(store)
        #expect(try named(store) == 0 && other.accounts(second).count == 10)
    }
}
