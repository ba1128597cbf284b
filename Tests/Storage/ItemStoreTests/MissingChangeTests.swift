import ChatelaineModel
import Foundation
import Testing

@testable import ItemStore
@testable import StoreEngine

/// A recovery that loses changes reports how many and since when, until somebody acknowledges the report.
@Suite struct MissingChangeTests {
    let fixture = StoreFixture()

    /// Makes three items, a snapshot, four more items, an update and a deletion: nine changes, six of them since the
    /// snapshot.
    private func filled() throws {
        let store = try fixture.open()
        for index in 1...3 { try store.add(StoreFixture.item(index)) }
        _ = try store.takeSnapshot(.request)
        for index in 4...7 { try store.add(StoreFixture.item(index)) }
        try store.update(.password("svc", "1"), ItemChange.label("changed"))
        try store.delete(.password("svc", "2"))
    }

    /// Ways to lose the changes since the snapshot.
    enum Damage: String, CaseIterable {
        case databaseGone, cutToOnePage, itemsAndTheirIndex, itemsAndFirstPage, folderGone, items
    }

    private func apply(_ damage: Damage) throws {
        switch damage {
        case .databaseGone: try FileManager.default.removeItem(atPath: fixture.database)
        case .cutToOnePage: try fixture.truncate(fixture.database, to: StoreFixture.pageSize)
        case .itemsAndTheirIndex: for page in [5, 6] { try fixture.garblePage(page) }
        case .itemsAndFirstPage: for page in [1, 5] { try fixture.garblePage(page) }
        case .folderGone: try FileManager.default.removeItem(atPath: fixture.folder)
        case .items: try fixture.garblePage(5)
        }
    }

    @Test(arguments: Damage.allCases) func whatMayBeMissingIsTold(_ damage: Damage) throws {
        try filled()
        #expect(try fixture.pages(of: "items") == [5] && fixture.pages(of: "items_uuid") == [6])
        try apply(damage)
        let store = try fixture.open(isDamaged: damage != .databaseGone && damage != .folderGone)
        let begun = try #require(try store.losses().first)
        #expect(begun.isOpen)
        expect(.notAvailable) { _ = try store.acknowledgeLosses() }
        while try store.continueRecovery() {}
        let snapshot = try #require(try fixture.snapshots.list().first)
        let report = try #require(try store.losses().first)
        #expect(try store.losses().count == 1)
        #expect(report.since == 3 && report.sinceDate == snapshot.date && !report.isOpen)
        // The mark lies outside the store's folder, so that it survives the loss of the folder.
        #expect(begun.changes == 6)
        switch damage {
        case .itemsAndFirstPage, .items:
            // The whole index by identifier names the lost items and keeps the deleted one from coming back.
            #expect(try fixture.accounts(store) == [1, 3])
            #expect(report.lost == 4 && report.restored == 2 && report.changes == 5)
        case .itemsAndTheirIndex:
            // The other indices name the lost items.
            #expect(try fixture.accounts(store) == [1, 2, 3])
            #expect(report.lost == 4 && report.restored == 3 && report.changes == 6)
        case .databaseGone, .cutToOnePage, .folderGone:
            #expect(try fixture.accounts(store) == [1, 2, 3])
            #expect(report.lost == 0 && report.restored == 3 && report.changes == begun.changes)
        }
        let listed = try fixture.listed()
        #expect(listed.contains("changes-missing"))
        #expect(listed.count { $0 == "lost" } == report.lost)
        #expect(fixture.events.withLock { $0.contains { if case .changesMissing = $0 { true } else { false } } })
        #expect(try store.statistics().unacknowledged == report)
    }

    @Test func lostItemsAreNamedByTheIndexByIdentifier() throws {
        var identifiers: [String] = []
        do {
            let store = try fixture.open()
            for index in 1...3 {
                identifiers.append(Hexadecimal.text(of: try store.add(StoreFixture.item(index)).identifier.bytes))
            }
            _ = try store.takeSnapshot(.request)
            identifiers.append(Hexadecimal.text(of: try store.add(StoreFixture.item(4)).identifier.bytes))
        }
        for page in [1, 5] { try fixture.garblePage(page) }
        _ = try fixture.recovered()
        let list = try String(contentsOfFile: fixture.places.losses, encoding: .utf8)
        #expect(list.contains("\"event\":\"lost\",\"item\":\"\(identifiers[3])\""))
    }

    @Test func itStaysUntilItIsAcknowledged() throws {
        try filled()
        try apply(.databaseGone)
        var report: LossReport?
        do {
            let store = try fixture.recovered()
            report = try store.losses().first
            try store.add(.password("after", "all", secret: "1"))
        }
        do {
            let store = try fixture.open()
            #expect(try store.losses().first == report)
            let sequence = try store.sequence()
            #expect(try store.acknowledgeLosses() == report)
            #expect(try store.losses().isEmpty && store.statistics().unacknowledged == nil)
            // Only a new history begins.
            #expect(try store.sequence() == sequence + 1)
            #expect(try store.acknowledgeLosses() == nil)
            #expect(try fixture.listed().last == "acknowledged")
        }
        #expect(try fixture.open().losses().isEmpty)
        #expect(try fixture.listed().count { $0 == "acknowledged" } == 1)
    }

    @Test func aRecoveryThatLosesNothingIsSilent() throws {
        try fixture.fill()
        try fixture.garblePage(1)
        let store = try fixture.recovered()
        #expect(try fixture.accounts(store) == Set(0..<40))
        #expect(try store.losses().isEmpty)
        #expect(try fixture.listed() == ["recovery-begun", "recovery-finished"])
    }

    @Test func aSnapshotWithEverythingIsNoLoss() throws {
        do {
            let store = try fixture.open()
            for index in 0..<10 { try store.add(StoreFixture.item(index)) }
            _ = try store.takeSnapshot(.request)
        }
        try FileManager.default.removeItem(atPath: fixture.database)
        let store = try fixture.recovered()
        #expect(try fixture.accounts(store) == Set(0..<10))
        #expect(try store.losses().isEmpty)
    }

    @Test func deletionsSinceTheSnapshotAreProvenWithoutTheFirstPage() throws {
        do {
            let store = try fixture.open()
            for index in 0..<40 { try store.add(StoreFixture.item(index)) }
            _ = try store.takeSnapshot(.request)
            for index in 0..<20 { try store.delete(.password("svc", "\(index)")) }
        }
        try fixture.garblePage(1)
        let store = try fixture.recovered()
        #expect(try fixture.accounts(store) == Set(20..<40))
        #expect(try store.losses().isEmpty)
    }

    @Test func aCrashInTheMiddleChangesNothingOfIt() throws {
        try filled()
        try apply(.itemsAndTheirIndex)
        do {
            let store = try fixture.open(isDamaged: true)
            #expect(try store.losses().first?.changes == 6)
            _ = try store.continueRecovery()
        }
        let before = try fixture.copied(suffix: "-before")
        do {
            let store = try fixture.open()
            #expect(store.isRecovering)
            #expect(try store.losses().map(\.changes) == [6])
            while try store.continueRecovery() {}
            #expect(try store.losses().map(\.lost) == [4])
        }
        #expect(try fixture.open().losses().map(\.lost) == [4])
        // Repeats the last steps, as after a crash between the record and the transaction.
        for (old, new) in [(before.folder, fixture.folder), (before.mark, fixture.mark)] {
            try FileManager.default.removeItem(atPath: new)
            try FileManager.default.moveItem(atPath: old, toPath: new)
        }
        let store = try fixture.recovered()
        #expect(try store.losses().count == 1)
        #expect(try store.losses().map(\.lost) == [4])
    }

    @Test func aCrashBeforeTheExchangeIsNoLoss() throws {
        try fixture.fill()
        try fixture.garblePage(1)
        // The report is written before the folders are exchanged, and the damaged store is still in its place.
        try UnacknowledgedLosses(fixture.places, clock: .system).put(
            LossReport(cause: .recovery, found: 0, base: 41, changes: 7, isOpen: true))
        let store = try fixture.recovered()
        #expect(try fixture.accounts(store) == Set(0..<40))
        #expect(try store.losses().isEmpty)
        // Here the disk delivers the store after all.
        try UnacknowledgedLosses(fixture.places, clock: .system).put(
            LossReport(cause: .recovery, found: 0, base: 99, changes: 7, isOpen: true))
        #expect(try fixture.open().losses().isEmpty)
    }

    @Test func aSecondRecoveryAddsToTheFirst() throws {
        try filled()
        try apply(.databaseGone)
        do {
            let store = try fixture.recovered()
            try store.add(StoreFixture.item(8))
        }
        try FileManager.default.removeItem(atPath: fixture.database)
        let store = try fixture.recovered()
        let reports = try store.losses()
        #expect(reports.count == 2)
        #expect(reports.first?.changes == 6)
        // All changes since the snapshot may be missing again, and the changes of the first recovery with them.
        #expect(try #require(reports.last?.changes) > 6)
        #expect(try store.statistics().unacknowledged?.since == 3)
    }

    @Test func aRecoveryInTheMiddleOfOneClaimsNothing() throws {
        try fixture.fill(0..<30)
        try fixture.garblePage(1)
        do {
            let store = try fixture.open()
            // One row is taken over. The others are in the folder that was set aside.
            expect(.duplicateItem) { try store.add(StoreFixture.item(3)) }
        }
        try fixture.garblePage(1)
        let store = try fixture.recovered()
        #expect(try store.losses().last?.changes != 0)
    }

    @Test func aRestoredSnapshotSilencesNothing() throws {
        try filled()
        try apply(.databaseGone)
        let store = try fixture.recovered()
        let before = try store.losses()
        _ = try fixture.restore(try #require(try fixture.snapshots.list().first?.name), replacing: store)
        let restored = try fixture.open()
        #expect(try restored.losses() == before)
        _ = try restored.acknowledgeLosses()
        _ = try fixture.restore(try #require(try fixture.snapshots.list().first?.name), replacing: restored)
        #expect(try fixture.open().losses().isEmpty)
    }

    @Test func aMarkThatIsAheadIsToldInTheSameWay() throws {
        try fixture.fill(0..<10)
        let old = fixture.folder + "-old"
        try FileManager.default.copyItem(atPath: fixture.database, toPath: old)
        try fixture.fill(10..<20)
        try FileManager.default.removeItem(atPath: fixture.database)
        try FileManager.default.moveItem(atPath: old, toPath: fixture.database)
        let store = try fixture.open()
        let report = try #require(try store.losses().first)
        #expect(report.cause == .markAhead && report.changes == 10 && report.since == 10)
        #expect(report.sinceDate.map { $0 <= StoreClock.system.now() } == true)
        #expect(try fixture.open().losses() == [report])
    }

    @Test func aDamagedRecordIsNoSilence() throws {
        try filled()
        try apply(.databaseGone)
        _ = try fixture.recovered()
        try fixture.overwrite(fixture.places.unacknowledged, at: 3, with: [0xFF, 0xFF])
        let store = try fixture.open()
        #expect(try store.losses().map(\.changes) == [nil])
        _ = try store.acknowledgeLosses()
        #expect(try store.losses().isEmpty)
        #expect(FileManager.default.fileExists(atPath: fixture.places.unacknowledged + ".damaged-1"))
    }

    @Test func whatComesInMeanwhileIsNotAcknowledged() throws {
        try filled()
        let losses = UnacknowledgedLosses(fixture.places, clock: .system)
        let known = LossReport(cause: .history, found: 1, base: 3, changes: nil)
        let rows = LossReport(cause: .rows, found: 1, base: 0, setAside: 1)
        let grown = LossReport(cause: .rows, found: 2, base: 0, setAside: 2)
        for report in [known, grown] { try losses.put(report) }
        try losses.acknowledge([known, rows], remembering: false)
        #expect(try losses.read() == [grown])
        try losses.acknowledge([grown], remembering: false)
        #expect(try losses.read() == [])
    }

    @Test func rowsThatAreSetAsideCountToo() throws {
        let store = try fixture.open()
        for index in 0..<3 { try store.add(StoreFixture.item(index)) }
        try store.tamper("UPDATE items SET metadata = zeroblob(100) WHERE row = 2")
        #expect(try fixture.accounts(store) == [0, 2])
        #expect(try store.losses().map(\.setAside) == [1])
    }

    @Test func setAsideItemsAreNamedToThoseWhoMayKnow() throws {
        let store = try fixture.open()
        for index in 0..<3 { try store.add(StoreFixture.item(index)) }
        let foreign = try store.add(.password("other", "one", secret: "x"), group: "other.group", request: .fresh())
        try store.tamper("UPDATE items SET secret = zeroblob(40) WHERE row IN (2, 4)")
        #expect(try store.find(.password("svc", "1", returns: .data)).isEmpty)
        #expect(try store.find(.password("other", "one", returns: .data), groups: ["other.group"]).isEmpty)
        let (items, total) = try store.setAsideItems(groups: [StoreFixture.group])
        #expect(total == 2)
        #expect(items.map { $0.attributes[.account] } == [nil, .text("1")])
        #expect(
            items.first?.identifier == foreign.identifier
                && items.allSatisfy { $0.reason == .rowKey || $0.reason == .secret })
        // A search that would match the item reports it. Other searches, and those in other groups, do not.
        #expect(try store.hasSetAside(.password("svc", "1"), groups: [StoreFixture.group]))
        #expect(try store.hasSetAside(.password("svc"), groups: [StoreFixture.group]))
        #expect(try !store.hasSetAside(.password("svc", "7"), groups: [StoreFixture.group]))
        var inAnyCase = ItemQuery.password("SVC", "1")
        #expect(try !store.hasSetAside(inAnyCase, groups: [StoreFixture.group]))
        inAnyCase.ignoresCase = true
        #expect(try store.hasSetAside(inAnyCase, groups: [StoreFixture.group]))
        #expect(try !store.hasSetAside(.password("other", "one"), groups: [StoreFixture.group]))
        do {
            try store.delete(.password("svc", "1"))
            Issue.record("it was deleted")
        } catch let error as KeychainError {
            #expect(error.status == .itemNotFound && error.reason.contains("set aside"))
            #expect(!error.reason.contains("svc"))
        }
    }

    /// A database that somebody else wrote claims more losses than there can be items.
    @Test func claimsOfLossesDoNotOverflow() throws {
        do {
            let store = try fixture.open()
            try store.add(StoreFixture.item(1))
            for _ in 0..<3 {
                try store.tamper(
                    "INSERT INTO recoveries (started, finished, base, is_complete, phase, position, salvaged, restored, set_aside, lost) VALUES (1, 1, 1, 1, 0, 0, 0, -5, 0, 9223372036854775807)"
                )
            }
        }
        let reports = try fixture.open().losses()
        #expect(reports.count == 3 && LossReport.sum(reports)?.lost == Int(Int32.max))
    }

    /// No change comes before the first one.
    @Test(arguments: [0, -1, Int64.min, Int64.max]) func claimsOfNoChangeDoNotUnderflow(_ base: Int64) throws {
        do {
            let store = try fixture.open()
            try store.add(StoreFixture.item(1))
            let snapshot = try store.takeSnapshot(.request).name
            try store.tamper(
                "INSERT INTO recoveries (started, finished, base, is_complete, phase, position, salvaged, restored, set_aside, lost, snapshot) VALUES (1, 1, \(base), 1, 0, 0, 0, 1, 0, 0, '\(snapshot)')"
            )
        }
        try? FileManager.default.removeItem(atPath: fixture.places.unacknowledged)
        let reports = try fixture.open().losses()
        #expect(reports.count == (base == .max ? 1 : 0))
    }
}
