import ChatelaineModel
import Foundation
import Testing

@testable import ItemStore
@testable import StoreEngine

/// The mark remembers the generation of the daemon's list of programs.
struct LedgerMarkTests {
    let fixture = StoreFixture()

    @Test func aListThatGrowsIsNoAlarm() throws {
        for generation: UInt64 in [0, 0, 1, 2, 2, 7] {
            let store = try fixture.open()
            let noted = try store.notedLedgerGeneration()
            #expect(noted <= generation)
            store.noteLedger(generation: generation)
            try store.add(.password("svc", "\(generation)-\(UUID())", secret: "x"))
            #expect(try store.notedLedgerGeneration() == generation)
            #expect(try store.losses().isEmpty)
        }
        #expect(try fixture.open().notedLedgerGeneration() == 7)
    }

    @Test(arguments: [0, 6] as [UInt64]) func anOlderListIsReported(_ older: UInt64) throws {
        try fixture.open().noteLedger(generation: 7)
        fixture.events.withLock { $0 = [] }
        let store = try fixture.open()
        store.noteLedger(generation: older)
        #expect(try store.losses().map(\.cause) == [.history])
        #expect(try fixture.listed() == ["older-file"])
        #expect(try store.acknowledgeLosses() != nil)
        // An older list is reported once, and its generation counts from then on.
        let next = try fixture.open()
        next.noteLedger(generation: older + 1)
        #expect(try next.losses().isEmpty)
    }

    @Test func aStoreThatIsReplacedNotesNothing() throws {
        let store = try fixture.open()
        store.noteLedger(generation: 7)
        store.retire()
        fixture.events.withLock { $0 = [] }
        store.noteLedger(generation: 6)
        #expect(fixture.events.withLock { $0.isEmpty })
        #expect(try fixture.open().notedLedgerGeneration() == 7)
    }
}
