import ChatelaineIPC
import ChatelaineModel
import Foundation
import Testing

/// Tests of stores that are damaged by hand under the real daemon: the answers, the items that survive, and the
/// reports.
@Suite struct StoreDamageTests {
    private static let notAvailable = -25291
    private static let count = 30

    /// Kinds of damage.
    ///
    /// Each begins with 30 items, a snapshot, one more item, and no daemon.
    enum Break: CaseIterable {
        case header, firstPage, lastPage, middlePage, cutInHalf, emptied, databaseGone, folderGone
        case logGone, logCut, logGarbled, markGone, markGarbled, olderCopy, headRecordGone
    }

    private static var passwords: [String: String] {
        Dictionary(uniqueKeysWithValues: (0..<count).map { ("account \($0)", "secret \($0)") })
    }

    private func filled(_ household: Household) throws -> ProbeProcess {
        let probe = try household.probe()
        for (account, secret) in Self.passwords { try #require(try probe.add(account, secret) == 0) }
        return probe
    }

    private func apply(_ breaking: Break, to household: Household) throws {
        let (database, log, mark) = (household.database, household.database + "-wal", household.mark)
        switch breaking {
        case .logGone, .logCut, .logGarbled, .markGone, .markGarbled: break
        default: try household.sql()
        }
        let pages = try household.size(database) / 4096
        switch breaking {
        case .header: try household.overwrite(database, at: 0, with: Data(repeating: 0x5A, count: 100))
        case .firstPage: try household.overwrite(database, at: 0, with: Household.garbage)
        case .lastPage: try household.overwrite(database, at: (pages - 1) * 4096, with: Household.garbage)
        case .middlePage: try household.overwrite(database, at: pages / 2 * 4096, with: Household.garbage)
        case .cutInHalf: try household.truncate(database, by: 0.5)
        case .emptied: try household.truncate(database, by: 0)
        case .databaseGone: try FileManager.default.removeItem(atPath: database)
        case .folderGone: try FileManager.default.removeItem(atPath: household.store)
        case .logGone: try FileManager.default.removeItem(atPath: log)
        case .logCut: try household.truncate(log, by: 0.6)
        case .logGarbled: try household.overwrite(log, at: 60_000, with: Data(repeating: 1, count: 300))
        case .markGone: try FileManager.default.removeItem(atPath: mark)
        case .markGarbled: for slot: UInt64 in [0, 512] { try household.overwrite(mark, at: slot, with: Data([1])) }
        case .olderCopy: try household.sql("DELETE FROM items WHERE row > 10; UPDATE store SET sequence = 10")
        case .headRecordGone: try household.sql("DELETE FROM store")
        }
    }

    @Test(arguments: Break.allCases)
    func everyItemOfTheSnapshotIsThereAgain(_ breaking: Break) throws {
        let household = try Household()
        let probe = try filled(household)
        let snapshot = try #require(try household.client.snapshots(.take()).first)
        #expect(snapshot.items == 30)
        #expect(try probe.add("later", "s3cret") == 0)
        household.dismiss()
        try apply(breaking, to: household)
        // The first call already gets its answer.
        #expect(try probe.find("account 7").data == Data("secret 7".utf8))
        // A check finds the damage that no search reads.
        _ = try household.client.check(position: 0)
        let report = try household.settledReport()
        #expect(report["store.error"] == nil)
        var found = try probe.all()
        found["later"] = nil
        #expect(found == Self.passwords, "\(breaking)")
        #expect(try probe.add("after", "all") == 0)
        #expect(try household.client.check(position: 0).structure == [])
        // The sandboxes refuse nothing that the recovery needs.
        _ = try household.client.snapshots(.take())
        let states = try household.settledReport()
        #expect(states["sandbox.refused"] == nil && states["enclave.sandbox.refused"] == nil, "\(states)")
        switch breaking {
        case .markGone: #expect(household.setAside.isEmpty)
        case .markGarbled: #expect(try household.listed() == ["mark-damaged", "changes-missing"])
        case .folderGone: #expect(try household.listed().first == "recovery-begun")
        // The log may have held everything, and SQLite read only a part of it.
        case .logCut, .logGarbled: #expect(try !household.listed().isEmpty)
        default:
            #expect(household.setAside.count == 1)
            #expect(try !household.listed().isEmpty)
        }
    }

    @Test func withoutASnapshotWhatOpensIsKept() throws {
        let household = try Household()
        let probe = try filled(household)
        household.dismiss()
        try household.sql()
        try household.overwrite(household.database, at: 0, with: Household.garbage)
        #expect(try probe.all() == Self.passwords)
        let report = try household.settledReport()
        #expect(report["store.salvaged"] as? AttributeValue == .number(30))
        #expect(report["store.lost"] as? AttributeValue == .number(0))
        #expect(try household.listed() == ["recovery-begun", "recovery-finished"])
    }

    @Test func nothingToRecoverFromIsAnErrorAndNoEmptyStore() throws {
        let household = try Household()
        let probe = try filled(household)
        household.dismiss()
        try household.sql()
        try household.truncate(household.database, by: 0)
        for _ in 0..<2 {
            #expect(try probe.find("account 7").status == Self.notAvailable)
            #expect(try probe.add("new", "one") == Self.notAvailable)
        }
        let reason = try #require(try probe.decide("status").dictionary?["store.error"] as? String)
        #expect(reason.contains("missing or empty") && reason.contains("copy"))
        #expect(household.setAside.isEmpty)
    }

    @Test func aNewerFormatIsLeftAlone() throws {
        let household = try Household()
        let probe = try filled(household)
        household.dismiss()
        // A new version comes with a changed schema; a version number alone is not believed.
        try household.sql("CREATE TABLE later (a ANY) STRICT; PRAGMA user_version = 99")
        let before = try Data(contentsOf: URL(fileURLWithPath: household.database))
        #expect(try probe.find("account 7").status == Self.notAvailable)
        let reason = try #require(try probe.decide("status").dictionary?["store.error"] as? String)
        #expect(reason.contains("newer version"))
        #expect(try Data(contentsOf: URL(fileURLWithPath: household.database)) == before)
        #expect(household.setAside.isEmpty)
    }

    @Test func rowsOfOneAnotherAndOfAnotherStore() throws {
        let household = try Household()
        let probe = try filled(household)
        _ = try household.client.snapshots(.take())
        household.dismiss()
        try household.sql(
            """
            CREATE TEMP TABLE kept AS SELECT row, metadata, secret FROM items;
            UPDATE items SET metadata = (SELECT metadata FROM kept WHERE kept.row = 15 - items.row) WHERE row IN (7, 8);
            UPDATE items SET secret = (SELECT secret FROM kept WHERE kept.row = 25 - items.row) WHERE row IN (12, 13);
            UPDATE items SET pair = zeroblob(16) WHERE row = 20
            """)
        // A search replaces the damaged rows that it reads. The check finds the others, and repairs rows that are only
        // hard to find.
        var position: UInt64? = 0
        var findings: [CheckStep.Finding] = []
        while let next = position {
            let step = try household.client.check(position: next)
            findings += step.findings
            position = step.next
        }
        #expect(findings.map(\.reason.rawValue).sorted() == [3, 3, 4, 6, 6])
        #expect(Set(findings.map(\.outcome)) == [.mended, .replaced])
        #expect(try probe.all() == Self.passwords)
        let list = try String(contentsOfFile: household.store + ".losses.jsonl", encoding: .utf8)
        #expect(!list.contains("account") && !list.contains("secret 7") && !list.contains("trouble"))
    }

    @Test func damagedItemsAreNamedToThoseWhoMayKnow() throws {
        let household = try Household()
        let probe = try filled(household)
        let client = household.client
        var item = NewItem(itemClass: .genericPassword)
        item.attributes[.service] = .text("damaged service")
        item.attributes[.account] = .text("damaged account")
        item.secret = .init("s3cret".utf8)
        let identifier = try client.add(item).identifier
        household.dismiss()
        try household.sql("UPDATE items SET secret = zeroblob(40) WHERE row IN (1, 31)")
        var query = ItemQuery(itemClass: .genericPassword)
        query.attributes = item.attributes
        query.returns = .data
        for _ in 0..<2 {
            do {
                _ = try client.find(query)
                Issue.record("a damaged item was found")
            } catch {
                #expect(error.status == .itemNotFound && error.reason.contains("set aside"))
                #expect(!error.reason.contains("damaged service") && !error.reason.contains("damaged account"))
            }
        }
        #expect(try probe.all().count == 29)
        let losses = try client.losses(.show())
        #expect(losses.missing?.setAside == 2 && losses.missing?.changes == 0 && losses.total == 2)
        let mine = try #require(losses.setAside.first { $0.item == identifier })
        #expect(mine.attributes[.service] == .text("damaged service") && mine.attributes[.account] != nil)
        // An item of another program appears as an identifier alone.
        #expect(losses.setAside.filter { $0.item != identifier }.map(\.attributes.count) == [0])
        // Acknowledging changes nothing else. It reads all rows first, since the damaged rows need not be the last
        // written ones.
        let acknowledged = try client.losses(.acknowledge())
        #expect(acknowledged.missing?.setAside == 2 && acknowledged.missing?.altered ?? 0 > 0)
        let after = try client.losses(.show())
        #expect(after.missing == nil && after.setAside == losses.setAside)
        #expect(try Set(household.listed()) == ["set-aside", "rows-altered", "acknowledged"])
        let list = try String(contentsOfFile: household.store + ".losses.jsonl", encoding: .utf8)
        #expect(!list.contains("damaged"))
    }

    /// Otherwise, a program that can write the state folder could undo decisions about programs.
    @Test func anOlderListOfProgramsIsReported() throws {
        let household = try Household()
        let list = "\(household.home)/state/identity/applications"
        // The daemon records each program that stores an item.
        #expect(try household.probe().add("a", "1") == 0)
        let old = try Data(contentsOf: URL(fileURLWithPath: list))
        #expect(try household.probe("other").add("b", "2") == 0)
        household.dismiss()
        #expect(try household.client.losses(.show()).missing == nil)
        household.dismiss()
        try household.overwrite(list, at: 0, with: old)
        try household.truncate(list, to: old.count)
        #expect(try household.client.losses(.show()).missing != nil)
        #expect(try household.listed() == ["older-file"])
        _ = try household.client.losses(.acknowledge())
        household.dismiss()
        #expect(try household.client.losses(.show()).missing == nil)
    }

    @Test func aProgramDoesNotNoticeThatASnapshotIsRestored() throws {
        let household = try Household()
        let probe = try filled(household)
        let snapshot = try #require(try household.client.snapshots(.take()).first)
        #expect(try probe.delete("account 3") == 0)
        #expect(try probe.update("account 4", "changed") == 0)
        let daemon = household.daemonPID
        let restored = try #require(try household.client.snapshots(.restore(name: snapshot.name)).first)
        #expect(restored.replaced.map { FileManager.default.fileExists(atPath: $0 + "/items.db") } == true)
        #expect(try probe.all() == Self.passwords)
        #expect(household.daemonPID == daemon)
        // The replaced store can be restored from its folder.
        household.dismiss()
        try #require(rename(household.store, household.home + "/aside") == 0)
        let replaced = try #require(restored.replaced)
        try #require(rename(replaced, household.store) == 0)
        #expect(try probe.find("account 4").data == Data("changed".utf8))
        #expect(try probe.find("account 3").status == -25300)
    }

    @Test func snapshotsAreListedAndDeleted() throws {
        let household = try Household()
        _ = try filled(household)
        let client = household.client
        let names = try (0..<3).map { _ in try #require(try client.snapshots(.take()).first?.name) }
        #expect(try client.snapshots(.list()).map(\.name) == names.reversed())
        #expect(try client.snapshots(.delete(name: names[1])).map(\.name) == [names[1]])
        #expect(throws: KeychainError(.itemNotFound, "")) { try client.snapshots(.delete(name: names[1])) }
        #expect(throws: KeychainError(.itemNotFound, "")) { try client.snapshots(.restore(name: "../default")) }
        #expect(try client.snapshots(.deleteAll(kept: 1)).map(\.name) == [names[0]])
        #expect(try client.snapshots(.list()).map(\.name) == [names[2]])
    }
}
