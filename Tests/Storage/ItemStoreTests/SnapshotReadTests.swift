import ChatelaineModel
import Foundation
import GRDB
import Testing

@testable import ItemStore
@testable import StoreEngine

/// Connections that keep their read state from look-up to look-up still see every change.
struct SnapshotReadTests {
    private let fixture = StoreFixture()

    @Test func everyLookUpSeesTheChangesBeforeIt() throws {
        let store = try fixture.open()
        for index in 0..<50 {
            try store.add(.password("svc", "\(index)"))
            #expect(try store.find(.password("svc", "\(index)")).count == 1)
            try store.delete(.password("svc", "\(index)"))
            #expect(try store.find(.password("svc", "\(index)")).isEmpty)
        }
    }

    @Test func whatAnotherProcessDoesIsSeenSoon() throws {
        let store = try fixture.open()
        try store.add(.password("svc", "a"))
        #expect(try store.find(.password("svc")).count == 1)
        let other = try DatabaseQueue(path: fixture.database)
        try other.write { try $0.execute(sql: "DELETE FROM items") }
        usleep(UInt32(4 * Reader.snapshotMilliseconds) * 1000)
        #expect(try store.find(.password("svc")).isEmpty)
    }

    @Test func theLogIsCutThoughSomebodyAlwaysReads() throws {
        let store = try fixture.open()
        var largest = 0
        for index in 0..<400 {
            try store.add(.password("svc", "\(index)", secret: String(repeating: "s", count: 12_000)))
            #expect(try store.find(.password("svc", "\(index)")).count == 1)
            let log = try FileManager.default.attributesOfItem(atPath: fixture.database + "-wal")[.size] as? Int
            largest = max(largest, log ?? 0)
        }
        // The log moves into the database at each limit. Twice that size would mean that a reader held it up.
        #expect(largest > StoreWriter.checkpointPages * 4096)
        #expect(largest < 2 * StoreWriter.checkpointPages * 4096)
    }

    @Test func readersOfAllThreadsLetGo() throws {
        let store = try fixture.open()
        for index in 0..<20 { try store.add(.password("svc", "\(index)")) }
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for index in 0..<50 {
                if thread == 0 { _ = try? store.add(.password("more", "\(index)")) }
                #expect((try? store.find(.password("svc", "\(index % 20)")).count) == 1)
            }
        }
        // No reader holds the log, so that it can be moved and truncated.
        let row = try store.writer.withDatabase { try Row.fetchOne($0, sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
        #expect(row?["busy"] == 0)
    }
}
