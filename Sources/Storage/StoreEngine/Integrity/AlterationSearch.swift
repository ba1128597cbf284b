import ChatelaineModel

/// Names the altered rows of buckets that differ, where one row alone explains the difference of its bucket.
///
/// It looks for the rows of all buckets in one pass through the table, and in one through each snapshot. Whoever may
/// write the file can make all buckets differ, and the work must not grow with their number.
struct AlterationSearch {
    /// Present rows that are remembered to be compared with those of snapshots.
    private static let rowsCompared = 100_000

    private(set) var alterations: [RowAlteration] = []
    private let authenticator: RowAuthenticator
    /// What a bucket lacks and has too much, for the buckets whose row is not found; with its place in `alterations`.
    private var unnamed: [Int: (place: Int, missing: UInt256)] = [:]
    private var present: [[UInt8]: UInt256] = [:]

    init(expected: RowMultisetHash, found: RowMultisetHash, _ authenticator: RowAuthenticator) {
        self.authenticator = authenticator
        for bucket in expected.differences(from: found) {
            let (due, present) = (expected[bucket], found[bucket])
            let alteration = RowAlteration(bucket: bucket, expected: due.count, found: present.count)
            // With a greater difference no single row explains it.
            if alteration.suspicion != nil { unnamed[bucket] = (alterations.count, due.sum &- present.sum) }
            alterations.append(alteration)
        }
    }

    /// Goes through the table and then through the snapshots, as far as rows are left to be found.
    mutating func run(
        _ statements: StatementCache, _ store: RowStore, _ progress: inout CheckProgress
    ) throws(KeychainError) {
        if isLookingFor([.added, .exchanged]) { try readTable(statements, &progress) }
        // A snapshot that has the removed or replaced row proves which one it was.
        guard isLookingFor([.removed, .exchanged]) else { return }
        let folder = SnapshotFolder(store.places, clock: store.clock)
        for snapshot in try folder.list() where snapshot.store == store.identifier {
            guard isLookingFor([.removed, .exchanged]) else { return }
            let database = folder.database(of: snapshot.name)
            guard let reader = try? SnapshotReader(database: database, schema: store.schema) else { continue }
            try read(reader, &progress)
        }
    }

    private func isLookingFor(_ kinds: [RowAlteration.Kind]) -> Bool {
        unnamed.values.contains { alterations[$0.place].suspicion.map(kinds.contains) ?? false }
    }

    private mutating func readTable(
        _ statements: StatementCache, _ progress: inout CheckProgress
    ) throws(KeychainError) {
        let statement = try statements[.terms]
        defer { statement.reset() }
        while try statement.step() {
            try progress.noteRow()
            let term = authenticator.term(statement)
            guard let (place, missing) = unnamed[term.bucket] else { continue }
            switch alterations[place].suspicion {
            case .added: if term.value == UInt256() &- missing { name(statement, in: term.bucket) }
            case .exchanged:
                guard present.count < Self.rowsCompared else { continue }
                present[[UInt8](authenticator.identifier(statement))] = term.value
            case .removed, nil: break
            }
        }
    }

    private mutating func read(_ snapshot: SnapshotReader, _ progress: inout CheckProgress) throws(KeychainError) {
        try snapshot.readTerms { (statement) throws(KeychainError) in
            try progress.noteRow()
            let term = authenticator.term(statement)
            guard let (place, missing) = unnamed[term.bucket] else { return true }
            let isMeant =
                switch alterations[place].suspicion {
                case .removed: term.value == missing
                case .exchanged:
                    present[[UInt8](authenticator.identifier(statement))].map { term.value &- $0 == missing } ?? false
                case .added, nil: false
                }
            if isMeant { name(statement, in: term.bucket) }
            return !unnamed.isEmpty
        }
    }

    private mutating func name(_ statement: PreparedStatement, in bucket: Int) {
        guard let place = unnamed.removeValue(forKey: bucket)?.place else { return }
        alterations[place].row = [UInt8](authenticator.identifier(statement))
        alterations[place].kind = alterations[place].suspicion
    }
}

extension RowAlteration {
    /// What happened if a single row was altered; nil where more rows were.
    fileprivate var suspicion: Kind? {
        switch found {
        case expected: .exchanged
        case expected &+ 1: .added
        case expected &- 1: .removed
        default: nil
        }
    }
}

/// The progress of the passes of one verification, which may be ended after each part.
struct CheckProgress {
    /// Rows of a part, which takes some milliseconds.
    static let rowsPerPart = 512

    private let store: RowStore
    private var rows = 0

    init(_ store: RowStore) { self.store = store }

    mutating func noteRow() throws(KeychainError) {
        store.rowsVerified.wrappingAdd(1, ordering: .relaxed)
        rows += 1
        if rows.isMultiple(of: Self.rowsPerPart) { try store.requireChecks() }
    }
}
