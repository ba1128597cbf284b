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
            let outcome = try search(plan, excluding: excluded, isReadingPages: isReadingPages)
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
            var candidates = outcome.rows[...]
            var (items, damaged): ([FoundItem], [DamagedRow]) = ([], [])
            var isOnPage = false
            let known = excluded.count
            while !candidates.isEmpty, items.count < wanted, damaged.isEmpty, !isOnPage {
                let rows = try accepted(
                    &candidates, atMost: wanted - items.count, wantsSecret ? .readSecret : .readAttributes, authorise
                ) { excluded.insert($0) }
                guard wantsSecret else {
                    // All that are wanted, or all that there are.
                    items = rows.map { FoundItem($0, secret: nil) }
                    break
                }
                switch try unsealed(rows, for: use, leavesOutRefused: leavesOutRefused, leavingOut: &excluded) {
                case .items(let unsealed): if items.isEmpty { items = unsealed } else { items += unsealed }
                case .damaged(let rows): damaged = rows
                case .damagedOnPage: isOnPage = true
                }
            }
            if isOnPage {
                // Only a row of the store can go to the quarantine, so that the rows of pages have to be brought.
                isReadingPages = false
            } else if !damaged.isEmpty {
                // The search goes on for other rows up to the limit.
                if engine.quarantine(damaged) == .failed { for row in damaged { excluded.insert(row.row) } }
            } else {
                let isCut = outcome.rows.count >= plan.maximum
                guard items.count < wanted, excluded.count > known, isCut else { return items }
                // Each such pass looks at more rows than the passes before it together.
                plan.maximum = max(wanted, excluded.count + Self.rowsBesideThoseLeftOut)
            }
        }
        throw KeychainError(.decode, "so many of the items found are damaged that the search was given up")
    }

    /// What came of unsealing rows.
    private enum Unsealed {
        case items([FoundItem])
        case damaged([DamagedRow])
        /// A row that still lies in a damaged file is damaged.
        case damagedOnPage
    }

    /// Unseals the secrets of rows; the numbers of refused rows go to `excluded`.
    private func unsealed(
        _ rows: [OpenedRow], for use: KeyUser, leavesOutRefused: Bool, leavingOut excluded: inout Set<Int64>
    ) throws(KeychainError) -> Unsealed {
        if rows.count == 1, !leavesOutRefused, case .secret(let secret) = try sealer.openSecret(of: rows[0], for: use) {
            return .items([FoundItem(rows[0], secret: secret)])
        }
        let secrets = try sealer.openSecrets(rows, for: use, leavesOutRefused: leavesOutRefused)
        let isDamaged = secrets.indices.contains { secrets[$0].isDamaged }
        if isDamaged, zip(rows, secrets).contains(where: { $0.isPending && $1.isDamaged }) { return .damagedOnPage }
        let damaged = isDamaged ? try damagedSecrets(rows, secrets) : []
        guard damaged.isEmpty else { return .damaged(damaged) }
        var items: [FoundItem] = []
        items.reserveCapacity(rows.count)
        for (row, opened) in zip(rows, secrets) {
            switch opened {
            case .secret(let secret): items.append(FoundItem(row, secret: secret))
            // The row has changed since it was read.
            case .damaged: items.append(FoundItem(row, secret: nil))
            case .refused: excluded.insert(row.row)
            }
        }
        return .items(items)
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
