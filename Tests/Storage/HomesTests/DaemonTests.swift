import Foundation
import StoredHomes
import Testing

/// The daemons serve homes of earlier versions, and the `security` command reports their state.
@Suite struct DaemonTests {
    /// Damage to a home that has three items, a snapshot, four later items, one update and one deletion.
    enum Damage: CaseIterable { case databaseGone, cutToOnePage, itemsAndTheirIndex, itemsAndFirstPage }

    @Test(arguments: Damage.allCases) func aRecoveryThatLosesSaysSo(_ damage: Damage) throws {
        let copy = try HomeCopy(StoredHome.named("format-2/since-snapshot"))
        switch damage {
        case .databaseGone: try FileManager.default.removeItem(atPath: copy.database)
        case .cutToOnePage: try #require(truncate(copy.database, 4096) == 0)
        case .itemsAndTheirIndex: try copy.garble(pages: 5, 6)
        case .itemsAndFirstPage: try copy.garble(pages: 1, 5)
        }
        let tool = ToolRun(copy)
        _ = try tool.security("check")
        _ = try tool.settledFacts()
        // A whole index proves that the deleted item was deleted.
        let count = damage == .itemsAndFirstPage ? 5 : 6
        for _ in 0..<2 {
            let check = try tool.security("check")
            #expect(check.exitStatus == 1)
            #expect(check.output.contains("up to \(count) changes since 2026-11-22T"), "\(check)")
            #expect(try tool.security("doctor").output.contains("up to \(count) changes"))
            #expect(try tool.facts()["store.missingChanges"] as? Int == count)
        }
        #expect(try tool.security("status").exitStatus == 0)
        #expect(try copy.listed().contains("changes-missing"))
        #expect(try tool.security("check", "--acknowledge").output.hasPrefix("acknowledged  up to \(count) changes"))
        #expect(try tool.security("check").exitStatus == 0)
        #expect(try tool.facts()["store.missingChanges"] == nil)
        #expect(try copy.listed().last == "acknowledged")
    }

    @Test(arguments: StoredHome.all) func theCommandSeesWhatIsThere(_ stored: StoredHome) throws {
        let expected = try stored.expected
        let tool = ToolRun(try HomeCopy(stored))
        _ = try tool.security("status")
        _ = try tool.settledFacts()
        // A check also meets rows that no search has met.
        let check = try tool.security("check", "--json")
        #expect([0, 1].contains(check.exitStatus), "\(check)")
        let facts = try tool.settledFacts()
        #expect(facts["store.error"] == nil, "\(facts)")
        #expect(facts["store.items"] as? Int == expected.items.count)
        #expect(facts["store.quarantined"] as? Int == expected.quarantined)
        // The daemon's date is later than the expiry of the tombstones, but only a change clears them.
        #expect(facts["store.tombstones"] as? Int == expected.tombstones)
        let listed = try tool.security("snapshot", "list", "--json")
        let snapshots = try JSONSerialization.jsonObject(with: Data(listed.output.utf8)) as? [[String: Any]]
        let names = try #require(snapshots).filter { $0["why"] as? String != "upgrade" }.map {
            $0["name"] as? String
        }
        #expect(names == expected.snapshots.map(\.name))
        #expect(try tool.home.listed().sorted() == expected.list.sorted())
        #expect(try tool.teams() == expected.decisions?.teams.map(\.team) ?? [])
        // Missing changes are reported until somebody acknowledges them.
        #expect(try tool.security("check").exitStatus == (expected.isMissing ? 1 : 0))
        #expect((facts["store.missingLost"] != nil) == expected.isMissing)
        #expect(try tool.security("doctor").output.contains("store.missing") == expected.isMissing)
        #expect(try tool.security("check", "--acknowledge").exitStatus == 0)
        #expect(try tool.security("check").exitStatus == 0)
    }
}
