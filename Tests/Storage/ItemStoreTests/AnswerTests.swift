import ChatelaineMemory
import ChatelaineModel
import Foundation
import InProcess
import Sealing
import Testing

@testable import ItemStore
@testable import StoreEngine

/// Answers to requests are kept only as long as a client may ask again, also in rows of format 2.
@Suite struct AnswerTests {
    private let fixture = StoreFixture()
    private let lifetime = AnswerExpiry.lifetime

    private func pass(_ seconds: Double) { fixture.elapsed.withLock { $0 += seconds } }

    private func answers(_ store: ItemStore) throws -> Int { try store.integer("SELECT count(*) FROM requests") }

    @Test func anAnswerGoesWithoutFurtherChanges() throws {
        let store = try fixture.open()
        let request = try ChangeRequest.fresh()
        let item = NewItem.password("svc", "a", secret: "1")
        let first = try store.add(item, group: StoreFixture.group, request: request)
        try store.forgetAnswers()
        // The wall clock does not matter.
        fixture.time.withLock { $0 = 4e9 }
        pass(lifetime - 1)
        try store.forgetAnswers()
        #expect(try store.add(item, group: StoreFixture.group, request: request).identifier == first.identifier)
        fixture.time.withLock { $0 = 1000 }
        pass(1)
        try store.forgetAnswers()
        #expect(try answers(store) == 0)
        // Without answers to forget, nothing is written.
        let sequence = try store.statistics().sequence
        pass(10 * lifetime)
        for _ in 0..<3 { try store.forgetAnswers() }
        #expect(try store.statistics().sequence == sequence)
    }

    @Test func youngerAnswersStay() throws {
        let store = try fixture.open()
        try store.add(.password("old", "1"))
        try store.add(.password("old", "2"))
        try store.forgetAnswers()
        pass(lifetime / 2)
        let young = try ChangeRequest.fresh()
        try store.delete(.password("old", "1"), groups: [StoreFixture.group], request: young)
        try store.forgetAnswers()
        pass(lifetime / 2)
        try store.forgetAnswers()
        #expect(try answers(store) == 1)
        let sequence = try store.statistics().sequence
        try store.delete(.password("old", "1"), groups: [StoreFixture.group], request: young)
        #expect(try store.statistics().sequence == sequence)
        pass(lifetime / 2)
        try store.forgetAnswers()
        #expect(try answers(store) == 0)
    }

    /// The starts cover the point where the slots begin anew, and numbers that were passed over.
    @Test(arguments: [0, 1, 4090, 4094, 4095, 4096, 8190])
    func slotsAreARing(_ start: Int) throws {
        let store = try fixture.open()
        try store.add(.password("first", "x"))
        try goOn(store, from: UInt64(start + 10))
        for index in 0..<4 { try store.add(.password("old", "\(index)")) }
        try store.forgetAnswers()
        pass(lifetime)
        for index in 0..<4 { try store.add(.password("young", "\(index)")) }
        try store.forgetAnswers()
        #expect(try answers(store) == 4)
        let slots = (start + 15...start + 18).map { "\($0 % 4096)" }.joined(separator: ", ")
        #expect(try store.integer("SELECT count(*) FROM requests WHERE slot IN (\(slots))") == 4)
    }

    /// Makes the numbers of changes go on from another number, as after a recovery.
    private func goOn(_ store: ItemStore, from sequence: UInt64) throws {
        let (keys, head) = try store.writer.withIntegrity { ($0.keys, $0.head) }
        let next = IntegrityHead(after: head.epoch, sequence: sequence, rows: head.rows)
        let sealed = try keys.seal(next, of: store.identifier)
        try store.writer.prepare { (statements) throws(KeychainError) in
            try StoreIntegrity.write(sequence, sealed, statements)
        }
    }

    /// After a start the age of answers is unknown, so that they count as new.
    @Test func answersOfAnEarlierProcessGoToo() throws {
        try fixture.open().add(.password("svc", "a"))
        pass(1e6)
        let store = try fixture.open()
        try store.forgetAnswers()
        #expect(try answers(store) == 1)
        pass(lifetime)
        try store.forgetAnswers()
        #expect(try answers(store) == 0)
    }

    // MARK: Format 2

    private static func blob(_ bytes: [UInt8]) -> String {
        "X'\(bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())'"
    }

    /// Turns the store into one of format 2 with the answer to an addition of `item`.
    private func makeFormer(caller: [UInt8], number: [UInt8], item: ItemIdentifier) throws {
        try FormerStore.make(fixture.database, version: 2)
        try fixture.write(
            """
            INSERT INTO requests VALUES (1, \(Self.blob(caller)), \(Self.blob(number)), zeroblob(32), 0, \
            \(Self.blob(item.bytes)), 123456)
            """)
    }

    @Test func answersOfFormat2AreGivenOnAndForgotten() throws {
        let item = NewItem.password("svc", "a", secret: "1")
        let first = try fixture.open().add(item)
        let (caller, number) = (ItemIdentifier().bytes, ItemIdentifier().bytes)
        try makeFormer(caller: caller, number: number, item: first.identifier)
        let upgraded = try fixture.open()
        #expect(try upgraded.statistics().schemaVersion == StoreSchema.version)
        let again = try ChangeRequest(
            name: [UInt8](repeating: 3, count: 32), formerName: caller + number,
            digest: [UInt8](repeating: 4, count: 32))
        #expect(try upgraded.add(item, group: StoreFixture.group, request: again).identifier == first.identifier)
        let other = try ChangeRequest(
            name: [UInt8](repeating: 3, count: 32), formerName: number + caller,
            digest: [UInt8](repeating: 4, count: 32))
        expect(.duplicateItem) { _ = try upgraded.add(item, group: StoreFixture.group, request: other) }
        #expect(try upgraded.integer("SELECT hour FROM store") == 123456)
        try upgraded.forgetAnswers()
        pass(lifetime)
        try upgraded.forgetAnswers()
        #expect(try answers(upgraded) == 0)
    }

    @Test func rowsOfFormat2OpenAndArePaddedWhenTheyAreWritten() throws {
        let store = try fixture.open()
        try store.add(.password("svc", "a", secret: "12345"))
        // Format 2 sealed the attributes without padding.
        let opened = try #require(try store.find(.password("svc", "a", returns: .attributes)).first)
        let (id, (accessibility, key)) = try #require(fixture.keys.state.withLock { $0.metadata.first })
        let row = RowContext(
            store: store.identifier, row: opened.identifier, version: 1, itemClass: .genericPassword,
            accessibility: accessibility, isSynchronizable: false, isTombstone: false,
            groupDigest: StoreDigests(store.keys[.index]).group(StoreFixture.group))
        let content = ItemMetadata(secretVersion: 1, attributes: opened.attributes).encode()
        let sealed = try SealingKey(key).seal(content, for: SealContext(.metadata, keyID: id, row: row))
        try store.tamper("UPDATE items SET metadata = \(Self.blob(sealed))")
        #expect(try store.find(.password("svc", "a", returns: .data)).first?.password == "12345")
        var check = try store.check(from: 0)
        while let next = check.next {
            #expect(check.findings.isEmpty)
            check = try store.check(from: next)
        }
        #expect(try store.integer("SELECT length(metadata) FROM items") == content.count + Sealing.overhead)
        try store.update(.password("svc", "a"), change { $0.attributes[.label] = .text("x") })
        #expect(try store.integer("SELECT (length(metadata) - 28) % 16 FROM items") == 0)
        #expect(try store.find(.password("svc", "a", returns: .data)).first?.password == "12345")
    }

    private func change(_ body: (inout ItemChange) -> Void) -> ItemChange {
        var change = ItemChange()
        body(&change)
        return change
    }
}
