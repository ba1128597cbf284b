import ChatelaineModel
import Foundation
import Synchronization
import Testing

@testable import ItemStore
@testable import StoreEngine

/// Changes take over, change or delete rows while a search looks for them.
extension PendingRowTests {
    /// The change comes between the read of the pages and the read of the store's state.
    @Test func whatWasTakenOverMeanwhileIsNotReadAgain() throws {
        _ = try filled()
        let (store, _) = try damaged()
        let rows = try (0..<Self.count).map { try Self.pending(Self.password($0), store) }
        #expect(rows.allSatisfy { $0.count == 1 })
        for index in 0..<Self.count { #expect(try Self.missing(rows[index], store) == 1) }
        // Row 0 is taken over and relabelled, row 1 deleted, row 2 moved to other digests.
        try store.update(Self.password(0), .label("other"))
        try store.delete(Self.password(1))
        var move = ItemChange()
        move.attributes[.account] = .text("moved")
        try store.update(Self.password(2), move)
        for index in 0..<3 { #expect(try Self.missing(rows[index], store) == 0) }
        // The item is added again under another identifier.
        try store.add(Self.item(.genericPassword, 1))
        #expect(try Self.missing(rows[1], store) == 0)
        // The other rows are taken over in their turn, and some are deleted.
        while try store.integer("SELECT count(*) FROM items") < 12 { _ = try store.continueRecovery() }
        for index in 3..<Self.count {
            let identifier = Self.literal(rows[index][0].content.identifier)
            let isThere = try store.integer("SELECT count(*) FROM items WHERE uuid = \(identifier)") == 1
            #expect(try Self.missing(rows[index], store) == (isThere ? 0 : 1))
            if isThere, index % 2 == 0 { try store.delete(Self.password(index)) }
            #expect(try Self.missing(rows[index], store) == (isThere ? 0 : 1))
        }
        // At the end the store no longer records which rows were taken over.
        while try store.continueRecovery() {}
        for index in 0..<Self.count { #expect(try Self.missing(rows[index], store) == 0) }
        #expect(try store.find(Self.password(2)).isEmpty)
        #expect(try store.verifyRows().isEmpty)
    }

    private static func literal(_ bytes: [UInt8]) -> String {
        "x'" + bytes.map { String(String(Int($0) | 0x100, radix: 16).dropFirst()) }.joined() + "'"
    }

    /// A search takes no decision that would set another row aside.
    @Test func aRowThatAnotherWouldGiveWayToIsBrought() throws {
        _ = try filled()
        let (store, _) = try damaged()
        let rows = try Self.pending(Self.password(6), store)
        let row = try #require(rows.first).content
        // Acts as if an older row had the same unique attributes.
        #expect(try store.find(Self.password(7)).count == 1)
        try store.engine.bring([row.identifier], usingIndex: true)
        try store.tamper(
            "UPDATE items SET uuid = randomblob(16) WHERE unique_digest = \(Self.literal(row.uniqueDigest))")
        try store.tamper("DELETE FROM brought")
        #expect(try Self.missing(rows, store) == nil)
    }

    @Test func searchesAndChangesAtTheSameTime() throws {
        _ = try filled()
        let (store, _) = try damaged()
        let isDone = Atomic(false)
        // An entry is written before or after its change, so a reader knows what must be true by then.
        let changed = Mutex<[Int: String]>([:])
        let problems = Mutex<[String]>([])
        let group = DispatchGroup()
        func start(_ body: @escaping @Sendable () throws -> Void) {
            group.enter()
            Thread.detachNewThread {
                do { try body() } catch { problems.withLock { $0.append("\(error)") } }
                group.leave()
            }
        }
        for thread in 0..<3 {
            start {
                var generator = SystemRandomNumberGenerator()
                while !isDone.load(ordering: .acquiring) {
                    let index = Int.random(in: 0..<Self.count, using: &generator)
                    let before = changed.withLock { $0[index] }
                    var query = Self.password(index)
                    if thread == 0 { query = Self.labelled("\(ItemClass.genericPassword)-\(index / 3)") }
                    let found = try store.find(query)
                    if thread == 0 {
                        let identifiers = found.map(\.identifier)
                        if Set(identifiers).count != identifiers.count { problems.withLock { $0.append("twice") } }
                        continue
                    }
                    let after = changed.withLock { $0[index] }
                    let secret = found.first?.password ?? "none"
                    let original = Self.item(.genericPassword, index).secret?.withUnsafeBytes {
                        String(decoding: $0, as: UTF8.self)
                    }
                    guard found.count <= 1, before == after, secret != before ?? original else { continue }
                    problems.withLock {
                        $0.append("\(index): \(secret.prefix(20)) instead of \(before ?? "the first")")
                    }
                }
            }
        }
        for index in 0..<Self.count {
            // During the change, readers cannot know which of the two values holds.
            changed.withLock { $0[index] = "unknown" }
            if index % 3 == 0 {
                try store.delete(Self.password(index))
            } else {
                try store.update(Self.password(index), .secret("new"))
            }
            changed.withLock { $0[index] = index % 3 == 0 ? "none" : "new" }
            if index % 4 == 0 { _ = try store.continueRecovery() }
        }
        while try store.continueRecovery() {}
        isDone.store(true, ordering: .releasing)
        group.wait()
        let found = problems.withLock { $0.filter { !$0.contains("instead of unknown") } }
        #expect(found.isEmpty, "\(found.prefix(5))")
        #expect(try store.verifyRows().isEmpty)
    }
}
