import ChatelaineMemory
import ChatelaineModel
import Foundation
import InProcess
import ItemStore
import StoreEngine
import StoredHomes
import Testing

/// Homes of earlier versions open with the work of both daemons in this process, and every item is what it was.
@Suite struct ReadingTests {
    static let groups = StoredHome.groups

    private func items(_ home: InProcessHome) throws -> [ExpectedHome.Item] {
        var items: [ExpectedHome.Item] = []
        for itemClass in [ItemClass.genericPassword, .internetPassword] {
            for group in Self.groups {
                for found in try home.opened().find(.everything(itemClass), groups: [group]) {
                    #expect(found.attributes[.creationDate] != nil && found.attributes[.modificationDate] != nil)
                    items.append(try #require(ExpectedHome.Item(found)))
                }
            }
        }
        return items.sorted { $0.identifier < $1.identifier }
    }

    private func expectItems(_ home: InProcessHome, _ expected: ExpectedHome) throws {
        let found = try items(home)
        #expect(found.map(\.identifier) == expected.items.map(\.identifier))
        for (item, wanted) in zip(found, expected.items) { #expect(item == wanted) }
    }

    /// Verifies the whole store and returns the number of findings.
    private func check(_ home: InProcessHome) throws -> Int {
        var position: Int64? = 0
        var findings = 0
        while let next = position {
            let step = try home.opened().check(from: next)
            findings += step.findings.count + step.structure.count
            position = step.next
        }
        return findings
    }

    @Test func thereAreHomes() { #expect(StoredHome.all.count >= 14) }

    @Test(arguments: StoredHome.all) func everythingIsWhatItWas(_ stored: StoredHome) throws {
        let expected = try stored.expected
        let copy = try HomeCopy(stored)
        let home = InProcessHome(copy.path, time: expected.time)
        // The items are the same during a recovery and after it. The check then covers classes that no search covered.
        try expectItems(home, expected)
        #expect(try home.opened().isRecovering == expected.recovers)
        while try home.opened().continueRecovery() {}
        try expectItems(home, expected)
        #expect(try check(home) == 0)
        #expect(try Set(home.programs().list().map(\.path.text)) == Set(expected.programs))
        #expect(try home.decisions() == expected.decisions)
        let statistics = try home.opened().statistics()
        #expect(statistics.items.values.reduce(0, +) == expected.items.count)
        #expect(statistics.tombstones == expected.tombstones)
        #expect(statistics.quarantined == expected.quarantined)
        let losses = try home.opened().losses()
        #expect((statistics.unacknowledged != nil) == expected.isMissing, "\(losses)")
        let snapshots = try home.snapshots.list().filter { $0.reason != .migration }
        #expect(
            snapshots.map { ExpectedHome.Snapshot(name: $0.name, items: $0.items, sequence: $0.sequence) }
                == expected.snapshots)
        #expect(try copy.listed().sorted() == expected.list.sorted())
    }

    /// A repeated request gets its first answer, whatever happened in between.
    @Test(arguments: StoredHome.all) func requestsKeepTheirAnswers(_ stored: StoredHome) throws {
        let expected = try stored.expected
        let copy = try HomeCopy(stored)
        let home = InProcessHome(copy.path, time: expected.time)
        for request in expected.requests {
            var again = NewItem(itemClass: .genericPassword)
            again.attributes[.service] = .text("something else")
            let answer = try home.opened().add(again, group: Self.groups[0], request: ChangeRequest(request))
            #expect(ExpectedHome.hexadecimal(answer.identifier.bytes) == request.item)
        }
    }

    @Test(arguments: StoredHome.all) func itServesOn(_ stored: StoredHome) throws {
        let copy = try HomeCopy(stored)
        let home = InProcessHome(copy.path, time: try stored.expected.time)
        var item = NewItem(itemClass: .genericPassword)
        item.attributes[.service] = .text("afterwards")
        item.secret = SecretBytes("well".utf8)
        let request = try ChangeRequest(
            name: ItemIdentifier().bytes + ItemIdentifier().bytes,
            digest: [UInt8](repeating: 2, count: ChangeRequest.digestByteCount))
        let added = try home.opened().add(item, group: Self.groups[0], request: request)
        var query = ItemQuery(itemClass: .genericPassword)
        query.attributes = item.attributes
        query.returns = .data
        #expect(try home.opened().find(query, groups: Self.groups).map(\.identifier) == [added.identifier])
    }

    @Test(arguments: StoredHome.all) func eachSnapshotCanBeHadBack(_ stored: StoredHome) throws {
        for snapshot in try stored.expected.snapshots {
            let copy = try HomeCopy(stored)
            let home = InProcessHome(copy.path, time: try stored.expected.time)
            try home.restore(snapshot.name)
            #expect(try items(home).count == snapshot.items)
            #expect(try check(home) == 0)
        }
    }
}
