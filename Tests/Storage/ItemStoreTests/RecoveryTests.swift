import ChatelaineModel
import Foundation
import Testing

@testable import ItemStore
@testable import StoreEngine

/// Items are recovered from databases that SQLite can no longer read.
@Suite struct RecoveryTests {
    let fixture = StoreFixture()
    private static let all = Set(0..<40)

    /// Checks what holds after any recovery: the store works and is sound, and the damaged one is kept.
    private func expectSound(_ store: ItemStore, setAside: Int = 1) throws {
        #expect(!store.isRecovering)
        #expect(try fixture.setAside().count == setAside)
        try store.add(.password("after", "all", secret: "1"))
        #expect(try store.find(.password("after", returns: .data)).map(\.password) == ["1"])
        #expect(try store.check(from: 0).structure == [])
        #expect(fixture.events.withLock { $0.contains { if case .recoveryBegun = $0 { true } else { false } } })
        let listed = try fixture.listed()
        #expect(listed.first == "recovery-begun" && listed.last == "recovery-finished")
    }

    @Test func anOverwrittenHeader() throws {
        let identifier = try fixture.fill()
        try fixture.overwrite(fixture.database, at: 0, with: Array(repeating: 0x5A, count: 100))
        let store = try fixture.recovered()
        #expect(store.identifier == identifier)
        #expect(try fixture.accounts(store) == Self.all)
        #expect(fixture.finished() == RecoveryCounts(salvaged: 40))
        try expectSound(store)
        #expect(try store.statistics().sequence > 40)
    }

    @Test func aGarbledFirstPage() throws {
        try fixture.fill()
        try fixture.garblePage(1)
        let store = try fixture.recovered()
        #expect(try fixture.accounts(store) == Self.all)
        try expectSound(store)
    }

    @Test func aGarbledLeafOfTheItemsWithoutASnapshot() throws {
        try fixture.fill()
        let leaf = try #require(try fixture.pages(of: "items").last)
        try fixture.garblePage(leaf)
        // A search for an affected item meets the damage, and a second opening confirms it.
        let first = try fixture.open()
        var met = false
        for index in 0..<40 {
            do { _ = try first.find(Self.query(index)) } catch let error as KeychainError {
                #expect(error.status == .notAvailable)
                met = true
                break
            }
        }
        #expect(met && first.isDamaged)
        first.retire()
        expect(.notAvailable) { try first.add(.password("too", "late")) }
        let store = try fixture.open(isDamaged: true)
        while try store.continueRecovery() {}
        let accounts = try fixture.accounts(store)
        #expect(accounts.count < 40 && accounts.count > 20)
        #expect(fixture.finished()?.lost == 40 - accounts.count)
        #expect(try fixture.listed().filter { $0 == "lost" }.count == 40 - accounts.count)
        try expectSound(store)
    }

    static func query(_ index: Int) -> ItemQuery { .password("svc", "\(index)", returns: .data) }

    @Test func aGarbledLeafOfTheItemsWithASnapshot() throws {
        do {
            let store = try fixture.open()
            for index in 0..<40 { try store.add(StoreFixture.item(index)) }
            _ = try store.takeSnapshot(.request)
            try store.delete(.password("svc", "3"))
            for index in 40..<50 { try store.add(StoreFixture.item(index)) }
        }
        let leaf = try #require(try fixture.pages(of: "items").dropFirst(2).first)
        try fixture.garblePage(leaf)
        let store = try fixture.open(isDamaged: true)
        while try store.continueRecovery() {}
        let counts = try #require(fixture.finished())
        // The index by identifier distinguishes items deleted since the snapshot from damaged ones.
        #expect(try fixture.accounts(store) == Set(0..<50).subtracting([3]))
        #expect(counts.salvaged + counts.restored == 49 && counts.restored > 1 && counts.lost == 0)
        #expect(try store.losses().isEmpty)
        #expect(try fixture.listed().filter { $0 == "restored" }.count == counts.restored)
        try expectSound(store)
    }

    @Test func deletedItemsStayDeletedWhereTheTableIsWhole() throws {
        do {
            let store = try fixture.open()
            for index in 0..<40 { try store.add(StoreFixture.item(index)) }
            _ = try store.takeSnapshot(.request)
            for index in 0..<20 { try store.delete(.password("svc", "\(index)")) }
        }
        // The damage is in an index, and the table is whole.
        try fixture.garblePage(try #require(try fixture.pages(of: "items_pair").last))
        let store = try fixture.open(isDamaged: true)
        while try store.continueRecovery() {}
        #expect(try fixture.accounts(store) == Set(20..<40))
        #expect(fixture.finished() == RecoveryCounts(salvaged: 20))
        try expectSound(store)
    }

    @Test func deletedItemsAreNotInTheDamagedFileAnyMore() throws {
        do {
            let store = try fixture.open()
            for index in 0..<40 { try store.add(StoreFixture.item(index)) }
            for index in 0..<35 { try store.delete(.password("svc", "\(index)")) }
        }
        try fixture.garblePage(1)
        let store = try fixture.recovered()
        #expect(try fixture.accounts(store) == Set(35..<40))
        #expect(fixture.finished() == RecoveryCounts(salvaged: 5))
    }

    @Test func aTruncatedDatabase() throws {
        do {
            let store = try fixture.open()
            for index in 0..<40 { try store.add(StoreFixture.item(index)) }
            _ = try store.takeSnapshot(.request)
            for index in 40..<80 { try store.add(StoreFixture.item(index)) }
        }
        try fixture.truncate(fixture.database, to: try fixture.size(fixture.database) / 2 + 100)
        let store = try fixture.open(isDamaged: true)
        while try store.continueRecovery() {}
        #expect(try fixture.accounts(store).isSuperset(of: Self.all))
        try expectSound(store)
    }

    @Test func aGarbledFreelist() throws {
        do {
            let store = try fixture.open()
            let secret = String(repeating: "s", count: 20_000)
            for index in 0..<5 { try store.add(.password("large", "\(index)", secret: secret)) }
            for index in 0..<40 { try store.add(StoreFixture.item(index)) }
            try store.delete(.password("large"))
        }
        let free = try fixture.freePages()
        #expect(free.count > 10)
        try fixture.garblePage(free[0])
        let store = try fixture.open()
        #expect(try fixture.accounts(store) == Self.all)
        #expect(!(try store.check(from: 0).structure.isEmpty))
        #expect(store.isDamaged)
        store.retire()
        let anew = try fixture.open(isDamaged: true)
        while try anew.continueRecovery() {}
        #expect(try fixture.accounts(anew) == Self.all)
        try expectSound(anew)
    }

    @Test func largeRowsAreTakenOverWhole() throws {
        let secret = String(repeating: "long ", count: 50_000)
        do {
            let store = try fixture.open()
            for index in 0..<3 { try store.add(.password("large", "\(index)", secret: secret)) }
        }
        try fixture.garblePage(1)
        let store = try fixture.recovered()
        for index in 0..<3 {
            #expect(try store.find(.password("large", "\(index)", returns: .data)).map(\.password) == [secret])
        }
    }

    @Test func rowsThatDoNotOpenAreSetAside() throws {
        do {
            let store = try fixture.open()
            for index in 0..<40 { try store.add(StoreFixture.item(index)) }
            _ = try store.takeSnapshot(.request)
            try store.update(.password("svc", "7"), ItemChange.label("newer"))
            try store.tamper("UPDATE items SET metadata = zeroblob(100) WHERE row = 8 OR row = 41")
            try store.add(StoreFixture.item(40))
            try store.tamper("UPDATE items SET metadata = zeroblob(100) WHERE row = 41")
        }
        try fixture.garblePage(1)
        let store = try fixture.recovered()
        #expect(try fixture.accounts(store) == Self.all)
        #expect(fixture.finished() == RecoveryCounts(salvaged: 39, restored: 1, setAside: 2))
        #expect(try store.statistics().quarantined == 2)
        try expectSound(store)
    }

    @Test func itemsAnswerBeforeTheRecoveryIsDone() throws {
        try fixture.fill()
        try fixture.garblePage(1)
        do {
            let store = try fixture.open()
            #expect(store.isRecovering)
            #expect(try store.find(Self.query(33)).map(\.password) == ["33"])
            // The recovery must not undo these changes.
            try store.update(.password("svc", "1"), ItemChange.secret("changed"))
            try store.delete(.password("svc", "2"))
            try store.add(.password("svc", "new", secret: "new"))
            expect(.duplicateItem) { try store.add(StoreFixture.item(5)) }
            expect(.itemNotFound) { try store.delete(.password("no", "such")) }
        }
        // The recovery continues after the next start.
        let store = try fixture.open()
        #expect(store.isRecovering)
        #expect(try store.statistics().recoveryPercent != nil)
        expect(.notAvailable) { _ = try store.takeSnapshot(.request) }
        while try store.continueRecovery() {}
        #expect(try store.find(.password("svc", "1", returns: .data)).map(\.password) == ["changed"])
        #expect(try store.find(.password("svc", "2")).isEmpty)
        #expect(try store.find(.password("svc").with { $0.limit = .all }).count == 40)
        try expectSound(store)
        #expect(try store.statistics().recoveryPercent == nil)
        _ = try store.takeSnapshot(.request)
    }

    /// No caller is told of a row that is taken over, so it need not be on disk before the next change.
    @Test func whatIsTakenOverIsSyncedWithTheNextChange() throws {
        try fixture.fill()
        try fixture.garblePage(1)
        do {
            let store = try fixture.open()
            let marked = try fixture.marked()
            #expect(try store.find(.password("svc", "3")).count == 1)
            #expect(try store.continueRecovery())
            #expect(try store.integer("SELECT sequence FROM store") > Int(marked ?? 0))
            #expect(try fixture.marked() == marked, "a mark that is ahead of the disk would tell of a loss")
            #expect(try store.integer("PRAGMA synchronous") == 2)
            try store.add(.password("new", "1", secret: "1"))
            #expect(try fixture.marked().map { Int($0) } == store.integer("SELECT sequence FROM store"))
            #expect(try store.find(.password("svc", "4")).count == 1)
        }
        // The mark is behind the store.
        let store = try fixture.recovered()
        #expect(try fixture.accounts(store).isSuperset(of: Self.all))
        #expect(try store.losses().isEmpty && store.verifyRows().isEmpty)
        #expect(try fixture.marked().map { Int($0) } == store.integer("SELECT sequence FROM store"))
    }

    @Test func aRepeatedRequestGetsItsFirstAnswer() throws {
        let request = try ChangeRequest.fresh()
        let first: ItemIdentifier
        do {
            let store = try fixture.open()
            first = try store.add(StoreFixture.item(0), group: StoreFixture.group, request: request).identifier
        }
        try fixture.garblePage(1)
        let store = try fixture.open()
        #expect(
            try store.add(StoreFixture.item(0), group: StoreFixture.group, request: request).identifier == first)
    }

    @Test func persistentReferencesStayWhatTheyAre() throws {
        let identifier: ItemIdentifier
        do { identifier = try fixture.open().add(StoreFixture.item(0)).identifier }
        try fixture.garblePage(1)
        let store = try fixture.open()
        var query = ItemQuery(itemClass: .genericPassword)
        query.identifier = identifier
        query.returns = .data
        #expect(try store.find(query).map(\.password) == ["0"])
    }

    @Test func lockedKeysLeadToNoRecovery() throws {
        try fixture.fill()
        try fixture.garblePage(1)
        fixture.keys.state.withLock { $0.locked = Set(Accessibility.allCases) }
        expect(.notAvailable) { _ = try fixture.open() }
        #expect(try fixture.setAside().isEmpty)
        fixture.keys.state.withLock { $0.locked = [] }
        #expect(try fixture.accounts(try fixture.recovered()) == Self.all)
    }

    @Test func keysOfAnotherStoreLeadToNoRecovery() throws {
        try fixture.fill()
        try fixture.garblePage(1)
        let other = StoreFixture(folder: fixture.folder)
        expect(.notAvailable) { _ = try other.open() }
        #expect(try fixture.setAside().isEmpty)
        #expect(try fixture.accounts(try fixture.recovered()) == Self.all)
    }

    @Test func aFileThatMayNotBeReadLeadsToNoRecovery() throws {
        try fixture.fill()
        // An error of the disk or a missing permission is not damage. A folder in the file's place gives both.
        try FileManager.default.moveItem(atPath: fixture.database, toPath: fixture.folder + "/kept")
        try FileManager.default.createDirectory(
            atPath: fixture.database, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        expect(.notAvailable) { _ = try fixture.open() }
        #expect(try fixture.setAside().isEmpty)
    }

    @Test func aCrashAtAnyMomentOfTheExchange() throws {
        try fixture.fill()
        try fixture.garblePage(1)
        // The new store is whole and the old one is set aside, but the last rename is missing.
        do { _ = try fixture.open() }
        try FileManager.default.moveItem(atPath: fixture.folder, toPath: fixture.places.draft)
        do {
            let store = try fixture.open()
            #expect(store.isRecovering)
            #expect(try store.find(Self.query(3)).count == 1)
        }
        // A draft beside a complete store is too late to be used.
        try FileManager.default.copyItem(atPath: fixture.folder, toPath: fixture.places.draft)
        let store = try fixture.recovered()
        #expect(try fixture.accounts(store) == Self.all)
        #expect(try fixture.setAside().count == 2)
        #expect(!FileManager.default.fileExists(atPath: fixture.places.draft))
    }

    @Test func theQuarantineHasItsBound() throws {
        try fixture.fill()
        try fixture.garblePage(1)
        for index in 0..<StoreActivation.maximumSetAside {
            try FileManager.default.createDirectory(
                atPath: "\(fixture.places.quarantine)/\(index)", withIntermediateDirectories: true)
        }
        expect(.notAvailable) { _ = try fixture.open() }
        try FileManager.default.removeItem(atPath: fixture.places.quarantine)
        #expect(try fixture.accounts(try fixture.recovered()) == Self.all)
    }
}
