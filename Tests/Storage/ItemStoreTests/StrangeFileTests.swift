import ChatelaineModel
import Foundation
import Testing

@testable import ItemStore
@testable import StoreEngine

/// Impossible numbers in a file, and things in a file's place that are no file, give an error and never a trap or a
/// wait.
@Suite struct StrangeFileTests {
    let fixture = StoreFixture()

    // MARK: Numbers

    @Test(arguments: [Int64.max, 1 << 62 + 1, 0, -1, .min])
    func rowsWithNumbersThatNoneEverGets(_ number: Int64) throws {
        try fixture.fill(0..<5)
        try fixture.write("UPDATE items SET row = \(number) WHERE row = 3")
        let first = try fixture.open()
        #expect(try !first.check(from: 0).structure.isEmpty)
        #expect(first.isDamaged)
        // A check of the rows still comes to an end.
        var position: Int64? = 1
        while let next = position { position = try first.check(from: next).next }
        first.retire()
        let store = try fixture.open(isDamaged: true)
        while try store.continueRecovery() {}
        #expect(try fixture.accounts(store) == Set(0..<5))
        #expect(try store.check(from: 0).structure.isEmpty)
    }

    @Test func aSnapshotOfAllBytesThereAre() throws {
        let store = try fixture.open()
        try store.add(StoreFixture.item(0))
        let name = try store.takeSnapshot(.request).name
        let manifest = "\(fixture.places.snapshots)/\(name)/\(Snapshot.manifest)"
        var snapshot = try #require(try fixture.snapshots.list().first)
        snapshot.bytes = .max
        try Data(snapshot.encode()).write(to: URL(fileURLWithPath: manifest))
        try store.add(StoreFixture.item(1))
        let taken = try store.takeSnapshot(.request).name
        #expect(try fixture.snapshots.list().map(\.name) == [taken], "what has no sound manifest is passed over")
    }

    @Test(arguments: [Int64.min, .max])
    func aSnapshotOfAnyHour(_ hour: Int64) throws {
        let store = try fixture.open()
        try store.add(StoreFixture.item(0))
        try store.tamper("UPDATE store SET snapshot_sequence = 0, snapshot_hour = \(hour)")
        store.takeSnapshotIfDue()
        #expect(try fixture.snapshots.list().count == 1)
    }

    @Test(arguments: [Int64.max, .min])
    func aRecoveryThatHasComeAnywhere(_ position: Int64) throws {
        try fixture.fill(0..<40)
        try fixture.garblePage(1)
        _ = try fixture.open()
        try fixture.write("UPDATE recoveries SET position = \(position)")
        let store = try fixture.open()
        #expect((0...99).contains(try store.statistics().recoveryPercent ?? -1))
        while try store.continueRecovery() {}
        #expect(!store.isRecovering)
    }

    @Test(arguments: [
        "class_key = class_key + 4294967296", "sync = 2", "tomb = 7", "metadata_key = metadata_key + 4294967296",
    ])
    func aNumberThatIsAnotherModuloItsSize(_ change: String) throws {
        let store = try fixture.open()
        try store.add(StoreFixture.item(0))
        try store.tamper("UPDATE items SET \(change)")
        _ = try store.find(
            StoreFixture.item(0).query.with { $0.returns = .data })
        var position: Int64? = 0
        while let next = position { position = try store.check(from: next).next }
        #expect(fixture.quarantined().count <= 1)
        #expect(try store.statistics().quarantined == 1)
    }

    // MARK: Files

    enum Thing: String, CaseIterable { case pipe, socket, folder, link }

    private func put(_ thing: Thing, at path: String) throws {
        try? FileManager.default.removeItem(atPath: path)
        switch thing {
        case .pipe: try #require(mkfifo(path, 0o600) == 0)
        case .socket: try #require(mknod(path, S_IFSOCK | 0o600, 0) == 0)
        case .folder: try #require(mkdir(path, 0o700) == 0)
        // The link leads to a device that never ends.
        case .link: try #require(symlink("/dev/zero", path) == 0)
        }
    }

    /// Makes every request of a store. Each call ends, whatever it answers.
    private func askForEverything() {
        guard let store = try? fixture.open() else { return }
        _ = try? store.find(.password("svc", "0", returns: .data))
        _ = try? store.add(.password("svc", "more", secret: "more"))
        _ = try? store.takeSnapshot(.request)
        store.takeSnapshotIfDue()
        _ = try? store.statistics()
        _ = try? store.check(from: 0)
        _ = try? store.continueRecovery()
        try? store.maintain()
        if let name = try? fixture.snapshots.list().first?.name { _ = try? fixture.restore(name, replacing: store) }
    }

    @Test(arguments: ["items.db", "items.db-wal", "items.db-shm", "items.db-journal", "mark"], Thing.allCases)
    func inTheStoresFolder(_ name: String, _ thing: Thing) throws {
        try fixture.fill(0..<3)
        try put(thing, at: "\(fixture.folder)/\(name)")
        askForEverything()
    }

    @Test(arguments: ["items.db", "snapshot"], Thing.allCases)
    func inASnapshotsFolder(_ name: String, _ thing: Thing) throws {
        let store = try fixture.open()
        try store.add(StoreFixture.item(0))
        let first = try store.takeSnapshot(.request).name
        try put(thing, at: "\(fixture.places.snapshots)/\(first)/\(name)")
        askForEverything()
        #expect(try fixture.accounts(fixture.open()) == [0])
        // Without the database, an opening looks for a snapshot, and the damaged one is the only one.
        try FileManager.default.removeItem(atPath: fixture.database)
        askForEverything()
    }

    @Test(arguments: Thing.allCases)
    func inPlaceOfTheListOfLosses(_ thing: Thing) throws {
        try fixture.fill(0..<40)
        try put(thing, at: fixture.places.losses)
        try fixture.garblePage(1)
        let error = #expect(throws: KeychainError.self) { try fixture.open() }
        #expect(error?.reason.contains(fixture.places.losses) == true)
        try FileManager.default.removeItem(atPath: fixture.places.losses)
        #expect(try fixture.accounts(fixture.recovered()).count == 40)
    }

    /// While the store is open, a writer or reader that reopens a file must not wait for it.
    @Test(arguments: ["items.db", "items.db-wal", "mark"], Thing.allCases)
    func underAnOpenStore(_ name: String, _ thing: Thing) throws {
        try fixture.fill(0..<3)
        let store = try fixture.open()
        _ = try store.find(StoreFixture.item(0).query)
        try put(thing, at: "\(fixture.folder)/\(name)")
        _ = try? store.add(.password("svc", "more", secret: "more"))
        _ = try? store.check(from: 0)
        _ = try? store.statistics()
        _ = try? store.takeSnapshot(.request)
    }
}
