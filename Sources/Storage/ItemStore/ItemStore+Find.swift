import ChatelaineMemory
import ChatelaineModel
import StoreEngine

extension ItemStore {
    /// The items that a query describes, up to its limit, with the parts that it asks for.
    ///
    /// - Parameters:
    ///   - query: class, attributes, reference, host match, limit and return types; its access group narrows `groups`.
    ///   - groups: the access groups whose items the caller may see, each once, in the caller's order.
    ///   - whenLarge: called once before more than ``smallResultBytes`` are read, while the search holds nothing. It
    ///     may wait for the caller's turn, or throw.
    ///   - authorise: decides about each row before its secret is unsealed; see ``RowAuthoriser``.
    ///   - use: the user for whom the keys of rows with constraints are asked for.
    /// - Returns: the items, group by group; empty for no match.
    /// - Throws: `errSecInteractionNotAllowed` when the search meets a locked row, `errSecDataTooLarge` when the result
    ///   exceeds ``maximumResultBytes``, and the errors of the disk.
    package func find(
        _ query: ItemQuery, groups: [AccessGroup], whenLarge: () throws(KeychainError) -> Void = {},
        authorise: RowAuthoriser = { _, _ in true }, use: KeyUser = { _ in nil }
    ) throws(KeychainError) -> [FoundItem] {
        if query.ignoresCase, query.limit == .one {
            // An exact spelling finds its item in an index, and needs no other item to be unlocked.
            var exact = query
            exact.ignoresCase = false
            let found = try look(for: exact, groups, whenLarge, authorise, use)
            if !found.isEmpty { return found }
        }
        return try look(for: query, groups, whenLarge, authorise, use)
    }

    private func look(
        for query: ItemQuery, _ groups: [AccessGroup], _ whenLarge: () throws(KeychainError) -> Void,
        _ authorise: RowAuthoriser, _ use: KeyUser
    ) throws(KeychainError) -> [FoundItem] {
        let wantsSecret = query.returns.contains(.data)
        let wanted = query.limit.maximum
        let leavesOutRefused = query.authenticationUI == .skip
        var plan = SearchPlan(
            query, groups: groups, digests: digests, wantsAttributes: query.returns.includeAttributes,
            wantsSecret: wantsSecret, maximum: wanted)
        plan.byteLimit = Self.smallResultBytes
        plan.wantsCertificates = wantsSecret
        var excluded: Set<Int64> = []
        var isReadingPages = true
        for _ in 0..<Self.maximumAttempts {
            var outcome = try search(plan, excluding: excluded, isReadingPages: isReadingPages)
            if outcome.isLarge {
                try whenLarge()
                plan.byteLimit = .max
                continue
            }
            if !outcome.damaged.isEmpty {
                let moved = engine.quarantine(outcome.damaged)
                // Otherwise the next pass would end at the same rows.
                if outcome.isFullOfDamage, moved == .failed { excluded.formUnion(outcome.damaged.map(\.row)) }
                if outcome.isFullOfDamage || moved == .replaced { continue }
            }
            if outcome.rows.count > wanted { outcome.rows.removeLast(outcome.rows.count - wanted) }
            let count = outcome.rows.count
            try self.authorise(&outcome.rows, wantsSecret ? .readSecret : .readAttributes, authorise) {
                excluded.insert($0)
            }
            if outcome.rows.count < count {
                // The search goes on for other rows up to the limit.
                plan.maximum = max(wanted, excluded.count + Self.rowsBesideThoseLeftOut)
                continue
            }
            guard wantsSecret else { return outcome.rows.map { FoundItem($0, secret: nil) } }
            if outcome.rows.count == 1, !leavesOutRefused,
                case .secret(let secret) = try sealer.openSecret(of: outcome.rows[0], for: use)
            {
                return [FoundItem(outcome.rows[0], secret: secret)]
            }
            let secrets = try sealer.openSecrets(outcome.rows, for: use, leavesOutRefused: leavesOutRefused)
            let isDamaged = secrets.indices.contains { secrets[$0].isDamaged }
            if isDamaged, zip(outcome.rows, secrets).contains(where: { $0.isPending && $1.isDamaged }) {
                // Only a row of the store can go to the quarantine, so that the rows of pages have to be brought.
                isReadingPages = false
                continue
            }
            let damaged = isDamaged ? try damagedSecrets(outcome.rows, secrets) : []
            let opened = Self.opened(outcome.rows, secrets)
            if opened.count < outcome.rows.count, wanted < .max {
                for (row, secret) in zip(outcome.rows, secrets) where secret.isRefused { excluded.insert(row.row) }
                // The search goes on for other rows up to the limit.
                plan.maximum = max(wanted, excluded.count + Self.rowsBesideThoseLeftOut)
                continue
            }
            if damaged.isEmpty { return opened }
            // The search goes on for other rows up to the limit.
            if engine.quarantine(damaged) == .failed { for row in damaged { excluded.insert(row.row) } }
        }
        throw KeychainError(.decode, "so many of the items found are damaged that the search was given up")
    }

    /// The items of rows, without those that are refused.
    private static func opened(_ rows: [OpenedRow], _ secrets: [RowSealer.Opened]) -> [FoundItem] {
        var items: [FoundItem] = []
        items.reserveCapacity(rows.count)
        for (row, opened) in zip(rows, secrets) {
            switch opened {
            case .secret(let secret): items.append(FoundItem(row, secret: secret))
            case .damaged: items.append(FoundItem(row, secret: nil))
            case .refused: break
            }
        }
        return items
    }

    /// The rows whose secrets did not open, as they were read; rows that changed since are left out.
    func damagedSecrets(
        _ rows: [OpenedRow], _ secrets: [RowSealer.Opened]
    ) throws(KeychainError) -> [DamagedRow] {
        var damaged: [DamagedRow] = []
        for (row, opened) in zip(rows, secrets) {
            guard case .damaged(let reason) = opened else { continue }
            let stored = try readers.read { (reader) throws(KeychainError) -> StoredRow? in
                let statement = try reader.statements[.row]
                defer { statement.reset() }
                statement.bind(1, row.row)
                guard try statement.step() else { return nil }
                let stored = StoredRow(statement, hasSecret: true)
                // A newer version of the row may be whole.
                return stored.uuid == row.context.row.bytes && stored.secret == row.secret ? stored : nil
            }
            if let stored { damaged.append(DamagedRow(stored: stored, hasSecret: true, reason: reason)) }
        }
        return damaged
    }
}

extension FoundItem {
    init(_ row: OpenedRow, secret: SecretBytes?) {
        self.init(
            identifier: row.context.row, itemClass: row.context.itemClass, accessibility: row.context.accessibility,
            isSynchronizable: row.context.isSynchronizable, attributes: row.encodedAttributes, secret: secret,
            constraints: row.encodedAttributes == nil ? nil : row.context.constraints?.unbound, key: row.key)
    }
}
