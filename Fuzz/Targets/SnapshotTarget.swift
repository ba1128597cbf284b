import ChatelaineModel
import Glibc

@testable import ItemStore

/// Files beside and of a store that nobody vouches for: read to their end, in bounded time, whatever they hold.
enum SnapshotTarget {
    static func run(_ bytes: UnsafeRawBufferPointer) {
        var intake = Intake(bytes)
        switch intake.byte() {
        case 0: checkManifest(intake.rest())
        case 1: _ = RawRecord(intake.rest())
        case 2:
            let number: UInt32 = intake.flag() ? 1 : 2
            checkPage(intake.rest(), number)
        case 3:
            let isSealed = intake.flag()
            let log = Int(intake.byte()) << 8 | Int(intake.byte())
            let content = intake.take(log)
            checkDatabase(log: [UInt8](content), isSealed: isSealed, database: intake.rest())
        case 4: checkMark(intake.rest())
        default: checkSnapshot(intake.rest())
        }
    }

    private static func checkManifest(_ bytes: UnsafeRawBufferPointer) {
        let snapshot: Snapshot
        do { snapshot = try Snapshot(name: "fuzz", decoding: bytes) } catch {
            return precondition(error is CBORError, "an error of another kind: \(error)")
        }
        precondition(snapshot.encode().elementsEqual(bytes), "a manifest with two encodings")
    }

    private static func checkPage(_ bytes: UnsafeRawBufferPointer, _ number: UInt32) {
        guard let page = RawPage(bytes, number: number) else { return }
        page.forEachCell { cell in
            guard let cell else { return }
            precondition(cell.local.count <= cell.payloadBytes, "more of a payload in the page than there is of it")
            _ = RawRecord(cell.local)
        }
        page.forEachIndexRecord { precondition($0.values.count <= RawRecord.maximumColumns, "too many columns") }
        _ = page.children
    }

    // MARK: Files

    private static func checkDatabase(log: [UInt8], isSealed: Bool, database: UnsafeRawBufferPointer) {
        var log = log
        if isSealed { SealedLog.seal(&log) }
        let folder = FuzzFolder.shared
        folder.write(StoreFiles.database, database)
        log.withUnsafeBytes { folder.write(StoreFiles.log, $0) }
        guard let damaged = try? DamagedDatabase(folder: folder.path) else { return }
        let survey = damaged.survey()
        precondition(survey.sequence <= Mark.highestSequence, "a sequence that leaves none to go on with")
        var rows = 0
        var first: WholeRow?
        damaged.rows(in: 1..<UInt32.max) { row in
            rows += 1
            first = first ?? row
        }
        precondition(rows <= survey.rows, "more rows than there are")
        // Only in pages of the size that stores have is what rows are looked for by always in the page itself.
        if let first, damaged.pageSize >= DamagedDatabase.defaultPageSize {
            for wanted in [
                DamagedDatabase.Wanted(values: [first.uuid]), DamagedDatabase.Wanted(identifiers: [first.uuid]),
            ] {
                var found = false
                damaged.rows(in: 1..<UInt32.max, wanted: wanted) { found = found || $0 == first }
                precondition(found, "a row that is there was not found")
            }
        }
        _ = damaged.isTableComplete
        damaged.forEachIndexedIdentifier { precondition($0.count == ItemIdentifier.byteCount) }
    }

    private static func checkMark(_ bytes: UnsafeRawBufferPointer) {
        let folder = FuzzFolder.shared
        folder.write(StoreFiles.mark, bytes)
        if case .sequence(let sequence, _)? = try? Mark.content(folder.path) {
            precondition(sequence <= Mark.highestSequence, "a sequence that leaves none to go on with")
        }
        _ = try? Mark.read(folder.path, store: FixedKeys.store)
    }

    /// A snapshot's database through SQLite, whose columns may hold whatever the file says.
    private static func checkSnapshot(_ bytes: UnsafeRawBufferPointer) {
        let folder = FuzzFolder.shared
        folder.write("snapshot.db", bytes)
        guard let reader = try? SnapshotReader(database: folder.path + "/snapshot.db") else { return }
        _ = try? reader.head()
        _ = try? reader.itemCount()
        try? reader.checkStructure()
        guard let rows = try? reader.rows(after: .min, limit: 64) else { return }
        for row in rows {
            _ = row.context(in: FixedKeys.store)
            _ = try? reader.row(uuid: row.uuid, uniqueDigest: row.uniqueDigest)
            _ = try? reader.identifiers(of: row.uuid, limit: 8)
        }
    }
}
