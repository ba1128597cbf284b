import ChatelaineModel
import StoreEngine

extension ItemStore {
    /// Searches one state of the store, and fetches the metadata keys that it turns out to need.
    ///
    /// - Parameters:
    ///   - stamps: whether a change needs the stamps of all rows that the search read.
    ///   - isReadingPages: whether rows of a damaged file may be read where they lie. A change needs them in the store.
    /// - Throws: `errSecInteractionNotAllowed` when the search meets a locked row.
    func search(
        _ plan: SearchPlan, stamps: Bool = false, excluding excluded: Set<Int64> = [], isReadingPages: Bool = true
    ) throws(KeychainError) -> SearchOutcome {
        var pending: [PendingRow]?
        if engine.hasRowsToBring {
            if isReadingPages, !stamps { pending = try pendingRows(of: plan) }
            if pending == nil { try bringRows(of: plan) }
        }
        var lost = LostKeys()
        for _ in 0..<Self.maximumAttempts {
            let opener = RowOpener(store: identifier, keys: metadataKeys.all, lostKeys: lost)
            func read(_ reader: Reader) throws(KeychainError) -> SearchOutcome {
                try pass(plan, reader, opener, stamps: stamps, excluded, pending ?? [])
            }
            let outcome = stamps ? try engine.readForChange(read) : try readers.read(read)
            guard outcome.missingKeys.isEmpty else {
                try fetch(outcome.missingKeys, lost: &lost)
                continue
            }
            guard let rows = pending, try !isAll(outcome, besides: rows, of: plan) else { return outcome }
            try bringRows(of: plan)
            pending = nil
        }
        throw KeychainError(.internalComponent, "a search met ever more metadata keys")
    }

    /// Fetches metadata keys, and notes those that nobody has.
    ///
    /// Rows of the passcode class under a destroyed key are deleted.
    func fetch(_ missing: Set<UInt32>, lost: inout LostKeys) throws(KeychainError) {
        for id in missing {
            do throws(KeychainError) {
                try metadataKeys.load(id)
            } catch {
                switch error.cause {
                case .unsealable: lost.unknown.insert(id)
                case .keyDestroyed:
                    try purge(under: id)
                    lost.destroyed.insert(id)
                default: throw error
                }
            }
        }
    }

    private func pass(
        _ plan: SearchPlan, _ reader: Reader, _ opener: RowOpener, stamps: Bool, _ excluded: Set<Int64>,
        _ pending: [PendingRow]
    ) throws(KeychainError) -> SearchOutcome {
        var outcome = SearchOutcome()
        if stamps { outcome.sequence = try reader.statements.sequence() }
        guard let missing = try engine.missing(pending, in: reader) else {
            outcome.needsBringing = true
            return outcome
        }
        for probe in missing.isEmpty ? try probes(of: plan, reader) : plan.probes {
            guard !outcome.isEnded(plan) else { break }
            try plan.run(probe, on: reader.statements) { (statement) throws(KeychainError) in
                try Self.take(statement, plan, probe, opener, stamps: stamps, excluded, &outcome)
                return !outcome.isEnded(plan)
            }
            // Rows of pages follow the store's own rows, in the order that they will have once they are taken over.
            for row in missing where !outcome.isEnded(plan) {
                try take(row, plan, probe, reader, opener, excluded, &outcome)
            }
        }
        return outcome
    }

    /// The look-ups of a search, without those for groups that have no item of its class in this state of the store.
    private func probes(of plan: SearchPlan, _ reader: Reader) throws(KeychainError) -> SearchProbes {
        let groups = plan.probes.groups
        guard groups.count >= NonEmptyGroupCache.worthwhileCount, !engine.hasRowsToBring else { return plan.probes }
        let sequence = try reader.statements.sequence()
        switch occupiedGroups.look(groups, of: plan.itemClass, at: sequence) {
        case .none: return plan.probes
        case .known(let occupied): return plan.probes.among(occupied)
        case .due:
            var occupied: [AccessGroup] = []
            for group in groups where try isOccupied(group, plan.itemClass, reader) { occupied.append(group) }
            occupiedGroups.note(occupied, of: plan.itemClass, among: groups, at: sequence)
            return plan.probes.among(occupied)
        }
    }

    private func isOccupied(
        _ group: AccessGroup, _ itemClass: ItemClass, _ reader: Reader
    ) throws(KeychainError) -> Bool {
        let statement = try reader.statements[.isGroupOccupied]
        defer { statement.reset() }
        statement.bind(1, Int64(itemClass.rawValue))
        try statement.bind(2, digests.group(group))
        return try statement.step()
    }

    static func take(
        _ statement: PreparedStatement, _ plan: SearchPlan, _ probe: SearchProbe, _ opener: RowOpener, stamps: Bool,
        _ excluded: Set<Int64>, _ outcome: inout SearchOutcome, verifying digests: StoreDigests? = nil
    ) throws(KeychainError) {
        if stamps { outcome.stamps.append(RowStamp(statement)) }
        if !excluded.isEmpty, excluded.contains(statement.integer(StoredRow.Column.row)) { return }
        let secretBytes = plan.wantsSecret ? statement.lend(StoredRow.Column.secret).count : 0
        // A file keychain keeps a certificate under the metadata seal of its row.
        let takesCertificate = plan.itemClass == .certificate && plan.wantsCertificates
        let certificateBytes = takesCertificate ? statement.lend(StoredRow.Column.metadata).count : 0
        guard outcome.byteCount + secretBytes + certificateBytes <= plan.byteLimit else {
            return outcome.isLarge = true
        }
        switch opener.judge(statement, plan, probe, verifying: digests) {
        case .mismatch: break
        case .missingKey(let id): outcome.missingKeys.insert(id)
        case .damaged(let reason):
            guard !plan.isUnverified else { return }
            outcome.damagedBytes += statement.lend(StoredRow.Column.metadata).count + secretBytes
            outcome.damaged.append(
                DamagedRow(
                    stored: StoredRow(statement, hasSecret: plan.wantsSecret), hasSecret: plan.wantsSecret,
                    reason: reason))
        case .match(let row):
            outcome.byteCount +=
                (plan.wantsAttributes || takesCertificate || plan.keepsAccessObjects
                    ? statement.lend(StoredRow.Column.metadata).count : 0)
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
