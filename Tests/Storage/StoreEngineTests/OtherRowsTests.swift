import ChatelaineModel
import StoreEngine
import Testing

/// The engine serves a table that does not hold items.
///
/// Everything that it does follows from the layout and the examiner.
@Suite struct OtherRowsTests {
    private static let count = 200

    private func filled() throws -> NoteStore {
        let notes = try NoteStore()
        try notes.write(0..<Self.count, to: notes.open())
        return notes
    }

    private func expectAll(_ notes: NoteStore, _ store: RowStore, _ numbers: Range<Int> = 0..<count) throws {
        for number in numbers { #expect(try notes.text(of: number, in: store) == NoteStore.text(number), "\(number)") }
    }

    private func findings(_ store: RowStore) throws -> (structure: [String], rows: Int, findings: [RowCheck.Finding]) {
        var (structure, rows, findings): ([String], Int, [RowCheck.Finding]) = ([], 0, [])
        var position: Int64? = 0
        while let next = position {
            let step = try store.check(from: next)
            structure += step.structure
            rows += step.rows
            findings += step.findings
            position = step.next
        }
        return (structure, rows, findings)
    }

    @Test func rowsAreThereAgain() throws {
        let notes = try filled()
        let store = try notes.open()
        try expectAll(notes, store)
        #expect(try notes.count(in: store) == Self.count)
        #expect(try store.sequence() == UInt64(Self.count))
        #expect(try store.verifyRows().isEmpty)
        let (structure, rows, findings) = try findings(store)
        #expect(structure.isEmpty && findings.isEmpty && rows == Self.count)
        #expect(throws: KeychainError(.duplicateItem, "")) { try notes.write(3..<4, to: store) }
        #expect(notes.kind.marks.value == 1)
    }

    @Test func keysThatAreNeverReplacedNeedNothing() throws {
        let notes = try filled()
        let store = try notes.open()
        let sequence = try store.sequence()
        #expect(try !store.continueResealing() && store.resealingProgress() == nil)
        #expect(try store.sequence() == sequence)
    }

    @Test func aRowThatWasChangedFromOutsideIsFoundAndSetAside() throws {
        let notes = try filled()
        try notes.execute("UPDATE notes SET body = zeroblob(300) WHERE number = 7")
        let store = try notes.open()
        #expect(try store.verifyRows().count == 1)
        let findings = try findings(store).findings
        #expect(findings.map(\.reason) == [.metadata] && findings.map(\.outcome) == [.setAside])
        #expect(try notes.text(of: 6, in: store) == nil)
        #expect(try store.hasQuarantine())
        #expect(notes.has { if case .quarantined(kind: "note", _, .metadata) = $0 { true } else { false } })
    }

    @Test func aSnapshotHasADamagedRowAsItWas() throws {
        let notes = try filled()
        let snapshot = try notes.open().takeSnapshot(.request)
        #expect(snapshot.items == Self.count)
        try notes.execute("UPDATE notes SET body = zeroblob(300) WHERE number = 7")
        let store = try notes.open()
        #expect(try findings(store).findings.map(\.outcome) == [.replaced])
        try expectAll(notes, store)
    }

    @Test func aStoreWithoutItsFirstPageIsMadeAnew() throws {
        let notes = try filled()
        try notes.garblePage(1)
        let store = try notes.open()
        #expect(store.isRecovering && store.hasRowsToBring)
        // These rows are found before their turn.
        try expectAll(notes, store, 90..<95)
        while try store.continueRecovery() {}
        try expectAll(notes, store)
        #expect(try store.losses().isEmpty && store.verifyRows().isEmpty)
        #expect(try findings(store).findings.isEmpty)
        #expect(try findings(notes.open()).structure.isEmpty)
    }

    @Test func rowsAreReadWhereTheyLie() throws {
        let notes = try filled()
        try notes.garblePage(1)
        let store = try notes.open()
        let sequence = try store.sequence()
        for number in [0, 90, Self.count - 1] {
            let digest = notes.kind.digest(ofTitle: "\(number)")
            let rows = try #require(try store.pendingRows(of: [digest]))
            #expect(rows.count == 1 && rows.allSatisfy { $0.number < 0 })
            let note = try #require(rows.first).content
            let text = Array(NoteStore.text(number).utf8)
            #expect(note[NoteKind.body] == .blob(NoteKind.sealed(text, for: note.identifier, notes.kind.key)))
            #expect(try missing(rows, store) == 1)
            #expect(try !store.hasSavedRows(of: [digest], besides: []))
        }
        #expect(try store.pendingRows(of: [notes.kind.digest(ofTitle: "none")])?.isEmpty == true)
        #expect(try notes.count(in: store) == 0 && store.sequence() == sequence)
        let digest = notes.kind.digest(ofTitle: "7")
        let rows = try #require(try store.pendingRows(of: [digest]))
        #expect(try notes.text(of: 7, in: store) == NoteStore.text(7))
        #expect(try missing(rows, store) == 0)
        #expect(try store.pendingRows(of: [digest])?.isEmpty == true)
        let others = try #require(try store.pendingRows(of: [notes.kind.digest(ofTitle: "8")]))
        while try store.continueRecovery() {}
        #expect(try missing(others, store) == 0)
    }

    private func missing(_ rows: [PendingRow], _ store: RowStore) throws -> Int? {
        try store.readers.read { (reader) throws(KeychainError) in try store.missing(rows, in: reader)?.count }
    }

    @Test func whatIsOnADamagedPageComesFromASnapshot() throws {
        let notes = try filled()
        _ = try notes.open().takeSnapshot(.request)
        let page = try #require(try notes.pages(of: "notes").dropFirst(2).first)
        try notes.garblePage(page)
        let store = try notes.open(isDamaged: true)
        while try store.continueRecovery() {}
        try expectAll(notes, store)
        #expect(try notes.count(in: store) == Self.count)
    }

    @Test func whatIsOnADamagedPageAloneIsListed() throws {
        let notes = try filled()
        let page = try #require(try notes.pages(of: "notes").dropFirst(2).first)
        try notes.garblePage(page)
        let store = try notes.open(isDamaged: true)
        while try store.continueRecovery() {}
        let left = try notes.count(in: store)
        #expect(left > 0 && left < Self.count)
        #expect(try store.losses().first?.lost == Self.count - left)
    }

    @Test func anUnacknowledgedChangeFromOutsideIsReported() throws {
        let notes = try filled()
        try notes.execute("DELETE FROM notes WHERE number = 9")
        let store = try notes.open()
        #expect(try store.verifyRows().map(\.found) == store.verifyRows().map { $0.expected - 1 })
        #expect(try store.losses().first?.cause == .alteration)
        #expect(try store.acknowledgeLosses()?.altered == 1)
        #expect(try notes.open().losses().isEmpty)
    }
}
