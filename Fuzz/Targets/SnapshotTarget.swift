import ChatelaineModel
import Glibc

@testable import ItemStore
@testable import StoreEngine

/// Reads unauthenticated files of a store and beside it: each to its end, in bounded time, whatever its content.
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
        case 6: checkLosses([UInt8](intake.rest()))
        default: checkSnapshot(intake.rest())
        }
    }

    private static func checkManifest(_ bytes: UnsafeRawBufferPointer) {
        guard let snapshot = try? Snapshot(name: "fuzz", decoding: bytes) else { return }
        precondition(snapshot.encode().elementsEqual(bytes), "a manifest with two encodings")
    }

    private static func checkLosses(_ content: [UInt8]) {
        guard let losses = UnacknowledgedLosses.decoded(content) else { return }
        precondition(UnacknowledgedLosses.encoded(losses) == content, "losses with two encodings")
        _ = LossReport.sum(losses.reports + losses.known)?.description
    }

    private static func checkPage(_ bytes: UnsafeRawBufferPointer, _ number: UInt32) {
        guard let page = RawPage(bytes, number: number) else { return }
        page.forEachCell { cell in
            guard let cell else { return }
            precondition(cell.local.count <= cell.payloadBytes, "more of a payload in the page than there is of it")
            _ = RawRecord(cell.local)
        }
        page.forEachIndexEntry { entry in
            if let entry { precondition(entry.row > 0 && entry.value.count >= 16, "an entry that leads nowhere") }
        }
        _ = page.children
    }

    // MARK: Files

    private static func checkDatabase(log: [UInt8], isSealed: Bool, database: UnsafeRawBufferPointer) {
        var log = log
        if isSealed { SealedLog.seal(&log) }
        let folder = FuzzFolder.shared
        folder.write(StoreFiles.database, database)
        log.withUnsafeBytes { folder.write(StoreFiles.log, $0) }
        guard let damaged = try? DamagedDatabase(folder: folder.path, layout: ItemColumn.layout) else { return }
        let survey = damaged.survey()
        precondition(survey.sequence <= HighWaterMark.highestSequence, "a sequence that leaves none to go on with")
        var rows = 0
        var first: WholeRow?
        damaged.forEachBatch(in: [1..<UInt32.max]) { batch in
            rows += batch.count
            first = first ?? batch.first
            return true
        }
        precondition(rows <= survey.rows, "more rows than there are")
        // The search needs the values in the page itself, which only pages of the usual size guarantee.
        if let first, damaged.pageSize >= DamagedDatabase.defaultPageSize {
            for wanted in [
                DamagedDatabase.Wanted(values: [first.uuid]), DamagedDatabase.Wanted(identifiers: [first.uuid]),
            ] {
                var found = false
                func look(_ pages: [Range<UInt32>]) {
                    damaged.forEachBatch(in: pages, wanted: wanted) { rows in
                        found = found || rows.contains(first)
                        return true
                    }
                }
                look([1..<UInt32.max])
                precondition(found, "a row that is there was not found")
                let pages = damaged.index(from: 1).pages(of: wanted, from: 1, maximum: .max) ?? []
                found = false
                look(pages.map { $0..<$0 + 1 })
                precondition(found, "a row that is there is on no page of the index")
            }
        }
        checkTerms(damaged)
        _ = damaged.isTableComplete
        _ = damaged.identifierIndex(known: [])
        let table = damaged.rowsInTable()
        precondition(table.whole.count + survey.brokenRows == survey.rows, "rows that are neither whole nor broken")
    }

    /// Checks that a row's term is the same in its place and after a recovery has copied the row.
    private static func checkTerms(_ damaged: DamagedDatabase) {
        guard let keys = try? FixedKeys().openStore(FixedKeys.store, isEmpty: false),
            let secrets = try? IntegrityKeys(StoreSecrets(keys), ItemColumn.layout)
        else { return }
        var copied = RowMultisetHash()
        damaged.forEachBatch(in: [1..<UInt32.max]) { rows in
            for row in rows { copied.insert(secrets.authenticator.term(of: row)) }
            return true
        }
        var inPlace = RowMultisetHash()
        // Small batches and two threads, as with millions of rows.
        RowTerms(database: damaged, authenticator: secrets.authenticator, pagesPerBatch: 2, threads: 2)
            .forEach { inPlace.insert($0.term) }
        precondition(copied == inPlace, "rows that come to something else in their place")
    }

    private static func checkMark(_ bytes: UnsafeRawBufferPointer) {
        let folder = FuzzFolder.shared
        let places = StorePlaces(store: folder.path, mark: folder.path + "/slots")
        folder.write("slots", bytes)
        folder.write(StoreFiles.earlierMark, bytes)
        if let claim = try? HighWaterMark.claim(places) {
            precondition(claim.sequence <= HighWaterMark.highestClaim, "a sequence that leaves none to go on with")
        }
        if case .earlier(let sequence, _)? = try? HighWaterMark.earlier(in: folder.path) {
            precondition(sequence <= HighWaterMark.highestClaim, "a sequence that leaves none to go on with")
        }
        guard let keys = try? FixedKeys().openStore(FixedKeys.store, isEmpty: false),
            let secrets = try? IntegrityKeys(StoreSecrets(keys), ItemColumn.layout),
            case .state(let state)? = try? HighWaterMark.find(places, secrets)
        else { return }
        precondition(state.sequence <= HighWaterMark.highestSequence, "a sequence that leaves none to go on with")
    }

    /// Reads a snapshot's database through SQLite; its columns may have any value.
    private static func checkSnapshot(_ bytes: UnsafeRawBufferPointer) {
        let folder = FuzzFolder.shared
        folder.write("snapshot.db", bytes)
        guard let reader = try? SnapshotReader(database: folder.path + "/snapshot.db", schema: StoreSchema.items)
        else { return }
        _ = try? reader.head()
        _ = try? reader.rowCount()
        try? reader.checkStructure()
        guard let rows = try? reader.rows(after: .min) else { return }
        for row in rows {
            _ = row.context(in: FixedKeys.store)
            _ = try? reader.row(identifier: row.uuid, unique: row.uniqueDigest)
            _ = try? reader.identifiers(of: row.uuid, limit: 8)
        }
    }
}
