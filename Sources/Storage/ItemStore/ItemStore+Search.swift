import ChatelaineModel
import StoreEngine

extension ItemStore {
    /// One search of one state of the store, its metadata keys fetched as they turn out to be needed.
    ///
    /// With `stamps` it notes for a change what it saw. `errSecInteractionNotAllowed` when a row is locked.
    func search(
        _ plan: SearchPlan, stamps: Bool = false, excluding excluded: Set<Int64> = []
    ) throws(KeychainError) -> SearchOutcome {
        if engine.hasRowsToBring {
            try engine.bring(plan.probes.map(\.value.array), usingIndex: plan.probes.allSatisfy(\.isOfFew))
        }
        var unknown: Set<UInt32> = []
        for _ in 0..<Self.maximumAttempts {
            let opener = RowOpener(store: identifier, keys: metadataKeys.all, unknownKeys: unknown)
            let outcome = try readers.read { (reader) throws(KeychainError) in
                try Self.pass(plan, reader, opener, stamps: stamps, excluded)
            }
            if outcome.missingKeys.isEmpty { return outcome }
            try fetch(outcome.missingKeys, unknown: &unknown)
        }
        throw KeychainError(.internalComponent, "a search met ever more metadata keys")
    }

    /// Fetches metadata keys; those that the keybag does not know are noted, which makes their rows damaged.
    func fetch(_ missing: Set<UInt32>, unknown: inout Set<UInt32>) throws(KeychainError) {
        for id in missing {
            do throws(KeychainError) {
                try metadataKeys.load(id)
            } catch {
                guard error.cause == .unsealable || error.cause == .notFound else { throw error }
                unknown.insert(id)
            }
        }
    }

    private static func pass(
        _ plan: SearchPlan, _ reader: Reader, _ opener: RowOpener, stamps: Bool, _ excluded: Set<Int64>
    ) throws(KeychainError) -> SearchOutcome {
        var outcome = SearchOutcome()
        if stamps { outcome.sequence = try reader.statements.sequence() }
        for probe in plan.probes where outcome.rows.count < plan.maximum && !outcome.isLarge {
            try plan.run(probe, on: reader.statements) { (statement) throws(KeychainError) in
                try take(statement, plan, probe, opener, stamps: stamps, excluded, &outcome)
                return outcome.rows.count < plan.maximum && !outcome.isLarge
            }
        }
        return outcome
    }

    private static func take(
        _ statement: PreparedStatement, _ plan: SearchPlan, _ probe: SearchProbe, _ opener: RowOpener, stamps: Bool,
        _ excluded: Set<Int64>, _ outcome: inout SearchOutcome
    ) throws(KeychainError) {
        if stamps { outcome.stamps.append(RowStamp(statement)) }
        if !excluded.isEmpty, excluded.contains(statement.integer(StoredRow.Column.row)) { return }
        let secretBytes = plan.wantsSecret ? statement.lend(StoredRow.Column.secret).count : 0
        guard outcome.byteCount + secretBytes <= plan.byteLimit else { return outcome.isLarge = true }
        switch opener.judge(statement, plan, probe) {
        case .mismatch: break
        case .missingKey(let id): outcome.missingKeys.insert(id)
        case .damaged(let reason):
            outcome.damaged.append(
                DamagedRow(
                    stored: StoredRow(statement, hasSecret: plan.wantsSecret), hasSecret: plan.wantsSecret,
                    reason: reason))
        case .match(let row):
            outcome.byteCount +=
                (plan.wantsAttributes ? statement.lend(StoredRow.Column.metadata).count : 0)
                + (row.secret?.sealed.count ?? 0)
            guard outcome.byteCount <= maximumResultBytes else {
                throw KeychainError(
                    .dataTooLarge,
                    "the items found hold more than \(maximumResultBytes) bytes; ask for fewer of them at once")
            }
            outcome.rows.append(row)
        }
    }
}
