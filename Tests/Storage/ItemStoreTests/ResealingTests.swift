import ChatelaineMemory
import ChatelaineModel
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ItemStore
@testable import StoreEngine

/// Rows are sealed anew after their keys are replaced.
@Suite struct ResealingTests {
    let fixture = StoreFixture()
    var keys: FakeKeySource { fixture.keys }

    /// Adds items of several kinds, and a tombstone.
    func fill(_ store: ItemStore) throws {
        for index in 0..<20 { try store.add(StoreFixture.item(index)) }
        for index in 0..<4 { try store.add(.internet("host", "\(index)", secret: "i\(index)")) }
        try store.add(.password("none", "without"))
        try store.add(.password("open", "always", secret: "a").with { $0.accessibility = .always })
        try store.add(.password("late", "first", secret: "f").with { $0.accessibility = .afterFirstUnlock })
        let large = SecretBytes(count: 3 << 20) { bytes in
            if let start = bytes.baseAddress { memset(start, 7, bytes.count) }
        }
        try store.add(.password("large", "large").with { $0.secret = large })
        let shared = NewItem.password("gone", "gone", secret: "g").with { $0.isSynchronizable = true }
        try store.add(shared)
        try store.delete(shared.query)
    }

    static let kept = [
        "row", "hex(uuid)", "class", "pdmn", "sync", "tomb", "version", "sequence", "hex(group_digest)",
        "hex(unique_digest)", "hex(pair)", "hex(owner)", "hex(place)", "hex(label)", "hex(tag)",
    ].map { "coalesce(\($0), '-')" }.joined(separator: " || '|' || ")
    static let sealed = ["metadata", "row_key", "secret"]

    func column(_ store: ItemStore, _ sql: String) throws -> [[UInt8]] {
        let connection = try ReadConnection(reading: fixture.database)
        let statement = try PreparedStatement(connection.handle, sql)
        var values: [[UInt8]] = []
        while try statement.step() { values.append(statement.bytes(0)) }
        return values
    }

    /// The columns of all rows that resealing must not change.
    func rows(_ store: ItemStore) throws -> [[UInt8]] {
        try column(store, "SELECT CAST(\(Self.kept) AS BLOB) FROM items ORDER BY row")
    }

    func seals(_ store: ItemStore) throws -> [[UInt8]] {
        try Self.sealed.flatMap {
            try column(store, "SELECT \($0) FROM items WHERE pdmn NOT IN (3, 6) AND \($0) IS NOT NULL")
        }
    }

    func everything(_ store: ItemStore) throws -> [String] {
        try [ItemClass.genericPassword, .internetPassword].flatMap { itemClass in
            var query = ItemQuery(itemClass: itemClass)
            query.limit = .all
            query.synchronizable = .any
            query.returns = [.data, .attributes]
            return try store.find(query).map {
                "\($0.identifier) \($0.attributes.entries.map { "\($0)" }) \($0.password ?? "-")"
            }
        }
    }

    func finish(_ store: ItemStore) throws { while try store.continueResealing() {} }

    func named(_ store: ItemStore) throws -> Int {
        let ids = keys.state.withLock { $0.superseded.union($0.destroyed) }.map(String.init).joined(separator: ", ")
        return try ["items", "quarantine"].reduce(0) {
            try $0
                + store.integer(
                    "SELECT count(*) FROM \($1) WHERE metadata_key IN (\(ids)) OR class_key IN (\(ids))")
        }
    }

    @Test func nothingIsDoneWithoutNewKeys() throws {
        let store = try fixture.open()
        try fill(store)
        let (sequence, rows) = (try store.sequence(), try seals(store))
        #expect(try !store.continueResealing())
        #expect(try store.sequence() == sequence && seals(store) == rows && fixture.snapshots.list().isEmpty)
        #expect(store.resealingProgress() == nil)
    }

    @Test func rowsMeanTheSameUnderNewKeys() throws {
        let store = try fixture.open()
        try fill(store)
        let (rows, items, seals) = (try rows(store), try everything(store), try seals(store))
        keys.replaceKeys()
        #expect(store.resealingProgress() == ResealingProgress(percent: 0, isWaiting: false))
        try finish(store)
        #expect(store.resealingProgress() == nil && keys.state.withLock { $0.superseded.isEmpty })
        #expect(try self.rows(store) == rows && everything(store) == items && named(store) == 0)
        // No file of the store contains a seal by the former keys.
        let bytes = try fixture.bytesOnDisk()
        #expect(seals.count > 70)
        for seal in seals { #expect(bytes.range(of: Data(seal)) == nil) }
        #expect(try store.verifyRows().isEmpty)
        let checks = try fullCheck(store)
        #expect(checks.rows == rows.count && checks.findings.isEmpty)
        // Items can still be changed, and a later opening finds them.
        try store.update(.password("svc", "3"), ItemChange().with { $0.secret = SecretBytes("new".utf8) })
        #expect(try store.find(.password("svc", "3", returns: [.data])).first?.password == "new")
        store.retire()
        let again = try fixture.open()
        #expect(try everything(again).count == items.count && again.losses().isEmpty)
        #expect(
            fixture.events.withLock { $0.contains { if case .keysDestroyed(28, _, 0) = $0 { true } else { false } } })
    }

    private func fullCheck(_ store: ItemStore) throws -> (rows: Int, findings: [StoreCheck.Finding]) {
        var (rows, findings): (Int, [StoreCheck.Finding]) = (0, [])
        var position: Int64? = 0
        while let next = position {
            let step = try store.check(from: next)
            rows += step.rows
            findings += step.findings
            position = step.next
        }
        return (rows, findings)
    }

    @Test func itGoesOnAfterAnyStep() throws {
        // The earlier store is released, so it reads nothing any more.
        let (rows, items) = try {
            let before = try fixture.open()
            try fill(before)
            for index in 100..<600 { try before.add(StoreFixture.item(index)) }
            return (try self.rows(before), try everything(before))
        }()
        keys.replaceKeys()
        for steps in 1... {
            let store = try fixture.open()
            var isDone = false
            for _ in 0..<steps { isDone = try isDone || !store.continueResealing() }
            #expect(try self.rows(store) == rows && everything(store) == items)
            store.retire()
            if isDone { break }
        }
        let store = try fixture.open()
        #expect(try named(store) == 0 && keys.state.withLock { !$0.destroyed.isEmpty && $0.superseded.isEmpty })
        #expect(try store.verifyRows().isEmpty && store.losses().isEmpty)
    }

    @Test func lockedRowsWait() throws {
        let store = try fixture.open()
        try fill(store)
        let items = try everything(store)
        keys.replaceKeys()
        keys.state.withLock { $0.locked = [.whenUnlocked, .whenUnlockedThisDeviceOnly] }
        store.forgetKeys()
        try finish(store)
        #expect(store.resealingProgress()?.isWaiting == true)
        #expect(try named(store) == 27 && store.integer("SELECT class_key FROM items WHERE pdmn = 2") == 12)
        // The store does not look at all rows again while nothing has changed.
        let requests = keys.state.withLock { $0.rowKeyRequests.count }
        #expect(try !store.continueResealing())
        #expect(keys.state.withLock { $0.rowKeyRequests.count } == requests)
        keys.state.withLock { $0.locked = Set(Accessibility.allCases).subtracting([.always]) }
        #expect(try !store.continueResealing())
        keys.state.withLock { $0.locked = [] }
        try finish(store)
        #expect(try named(store) == 0 && everything(store) == items && store.resealingProgress() == nil)
    }

    @Test func itIsLockedInTheMiddle() throws {
        let store = try fixture.open()
        for index in 0..<400 { try store.add(StoreFixture.item(index)) }
        keys.replaceKeys()
        for _ in 0..<2 { #expect(try store.continueResealing()) }
        keys.state.withLock { $0.locked = Set(Accessibility.allCases).subtracting([.always]) }
        store.forgetKeys()
        try finish(store)
        let left = try named(store)
        #expect(left > 0 && left < 400 && store.resealingProgress()?.isWaiting == true)
        keys.state.withLock { $0.locked = [] }
        try finish(store)
        #expect(try named(store) == 0 && fixture.accounts(store).count == 400)
    }

    @Test func changesGoOnMeanwhile() throws {
        let store = try fixture.open()
        for index in 0..<600 { try store.add(StoreFixture.item(index)) }
        keys.replaceKeys()
        let isDone = Atomic<Bool>(false)
        let changed = Atomic<Int>(0)
        let group = DispatchGroup()
        for worker in 0..<2 {
            group.enter()
            Thread.detachNewThread {
                var index = worker
                while !isDone.load(ordering: .relaxed) {
                    do {
                        let account = "\(index % 600)"
                        switch index % 3 {
                        case 0:
                            try store.update(
                                .password("svc", account), ItemChange().with { $0.attributes[.label] = .text("l") })
                        case 1:
                            try store.update(
                                .password("svc", account),
                                ItemChange().with { $0.secret = SecretBytes(account.utf8) })
                        default:
                            try store.delete(.password("svc", account))
                            try store.add(StoreFixture.item(index % 600))
                        }
                        changed.add(1, ordering: .relaxed)
                    } catch { Issue.record(error) }
                    index += 2
                }
                group.leave()
            }
        }
        try until { changed.load(ordering: .relaxed) >= 10 }
        try finish(store)
        isDone.store(true, ordering: .relaxed)
        group.wait()
        #expect(keys.state.withLock { $0.superseded.isEmpty })
        #expect(try named(store) == 0 && store.verifyRows().isEmpty && fixture.accounts(store) == Set(0..<600))
        #expect(fixture.quarantined().isEmpty)
    }

    @Test func whatIsOnItsWayUnderFormerKeysIsPreparedAnew() throws {
        let store = try fixture.open()
        try fill(store)
        let (keys, once) = (self.keys, Counter())
        keys.state.withLock { state in
            state.afterCreating = {
                guard once.isFirst() else { return }
                keys.replaceKeys()
                do { while try store.continueResealing() {} } catch { Issue.record(error) }
            }
        }
        // The row key was made by a key that is destroyed before the row is written.
        try store.add(.password("new", "new", secret: "fresh"))
        #expect(try named(store) == 0 && keys.state.withLock { $0.superseded.isEmpty })
        #expect(try store.find(.password("new", "new", returns: [.data])).first?.password == "fresh")
    }

    private final class Counter: Sendable {
        private let count = Atomic<Int>(0)
        func isFirst() -> Bool { count.wrappingAdd(1, ordering: .relaxed).oldValue == 0 }
    }

    // MARK: Damage

    @Test func aDamagedRowHoldsNothingUp() throws {
        let store = try fixture.open()
        for index in 0..<10 { try store.add(StoreFixture.item(index)) }
        try store.tamper("UPDATE items SET metadata = zeroblob(length(metadata)) WHERE row = 4")
        try store.tamper("UPDATE items SET secret = zeroblob(length(secret)) WHERE row = 7")
        keys.replaceKeys()
        try finish(store)
        #expect(keys.state.withLock { $0.superseded.isEmpty })
        #expect(try named(store) == 0 && fixture.accounts(store).count == 8)
        // The damage is reported as any other: each row is set aside, and the list says what became of the rest of it.
        #expect(fixture.quarantined().sorted { $0.rawValue < $1.rawValue } == [.metadata, .secret])
        #expect(try LossReport.sum(store.losses())?.setAside == 2)
        let list = try String(contentsOfFile: fixture.places.losses, encoding: .utf8)
        #expect(list.components(separatedBy: "\"event\":\"cleared\"").count == 3)
        // The row with whole attributes keeps its name. Only the parts that open are kept.
        let (items, total) = try store.setAsideItems(groups: [StoreFixture.group])
        #expect(total == 2 && items.compactMap { $0.attributes[.account] } == [.text("6")])
        #expect(
            try store.integer("SELECT count(*) FROM quarantine WHERE secret IS NOT NULL") == 1)
        #expect(try store.integer("SELECT count(*) FROM quarantine WHERE metadata IS NOT NULL") == 1)
    }

    @Test func aSnapshotGivesWhatIsDamaged() throws {
        let store = try fixture.open()
        for index in 0..<10 { try store.add(StoreFixture.item(index)) }
        let old = try store.takeSnapshot(.request)
        // The snapshot's row takes the number of the last row, which was resealed already.
        try store.tamper("UPDATE items SET metadata = zeroblob(length(metadata)) WHERE row = 10")
        keys.replaceKeys()
        try finish(store)
        #expect(try named(store) == 0 && fixture.accounts(store) == Set(0..<10))
        #expect(try fixture.snapshots.list().map(\.reason) == [.newKeys])
        #expect(try fixture.snapshots.list().map(\.sequence) != [old.sequence])
    }

    @Test func rowsThatWereSetAsideAreSealedAnewAsFarAsTheyOpen() throws {
        let store = try fixture.open()
        for index in 0..<6 { try store.add(StoreFixture.item(index)) }
        try store.tamper("UPDATE items SET unique_digest = zeroblob(32), pair = zeroblob(16) WHERE row = 2")
        try store.tamper("UPDATE items SET secret = zeroblob(length(secret)) WHERE row = 3")
        _ = try fixture.accounts(store)
        let before = try store.integer("SELECT count(*) FROM quarantine")
        #expect(before == 1)
        try store.tamper(
            "INSERT INTO quarantine (reason, hour, \(ItemColumn.layout.storedList)) "
                + "SELECT 4, 1, \(ItemColumn.layout.storedList) FROM items WHERE row = 2")
        keys.replaceKeys()
        try finish(store)
        #expect(try named(store) == 0)
        #expect(try store.integer("SELECT count(*) FROM quarantine WHERE metadata IS NOT NULL") == 2)
        #expect(try store.integer("SELECT count(*) FROM quarantine WHERE secret IS NOT NULL") == 1)
        #expect(
            try store.setAsideItems(groups: [StoreFixture.group]).items.allSatisfy { $0.attributes[.account] != nil })
    }
}
