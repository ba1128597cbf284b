import ChatelaineModel
import StoreEngine

extension ItemStore {
    /// Deletes every item that queries describe, all of them or none.
    ///
    /// A synchronizable item leaves a sealed tombstone: its unique attributes, creation date and a newer modification
    /// date (behaviour/deleting.md, 6 to 8). `leavesTombstone` in the query forces or forbids the tombstone.
    ///
    /// - Parameters:
    ///   - queries: each has to match at least one item.
    ///   - isRehearsal: whether the deletion is only tried. It fails as it would, and nothing is deleted.
    ///   - authorise: decides about each row before its deletion is prepared; see ``RowAuthoriser``.
    /// - Throws: `errSecItemNotFound`; `errSecInteractionNotAllowed`; the errors of key custodian and disk.
    package func delete(
        _ queries: [ItemQuery], groups: [AccessGroup], request: ChangeRequest, isRehearsal: Bool = false,
        authorise: RowAuthoriser = { _, _ in true }
    ) throws(KeychainError) {
        let plans = queries.map { query in
            SearchPlan(
                query, groups: groups, digests: digests, wantsAttributes: query.mayLeaveTombstones, wantsSecret: false,
                maximum: .max)
        }
        _ = try repeating(request) { () throws(KeychainError) in
            var outcomes: [SearchOutcome] = []
            var removed: [Int64] = []
            var tombstones: [PreparedRow] = []
            for (query, plan) in zip(queries, plans) {
                let outcome = try matches(of: plan, .delete, authorise)
                for row in outcome.rows {
                    if query.leavesTombstone ?? row.context.isSynchronizable {
                        tombstones.append(try tombstone(of: row))
                    } else {
                        removed.append(row.row)
                    }
                }
                outcomes.append(outcome)
            }
            return { [outcomes, removed, tombstones] (session) throws(KeychainError) in
                guard session.accepts(tombstones) else { return .outdated }
                for (outcome, plan) in zip(outcomes, plans) {
                    guard try session.isCurrent(outcome, of: plan) else { return .outdated }
                }
                for row in removed { try session.delete(row: row) }
                for row in tombstones { try session.bury(row) }
                guard !isRehearsal else { return .rehearsed }
                try session.record(request)
                return .done
            }
        }
    }

    /// Deletes every item that one query describes.
    package func delete(
        _ query: ItemQuery, groups: [AccessGroup], request: ChangeRequest,
        authorise: RowAuthoriser = { _, _ in true }
    ) throws(KeychainError) { try delete([query], groups: groups, request: request, authorise: authorise) }

    private func tombstone(of row: OpenedRow) throws(KeychainError) -> PreparedRow {
        var context = row.context
        context.version += 1
        context.isTombstone = true
        context.constraints = nil
        context.keyCustody = nil
        let old = row.attributes
        var attributes = AttributeSet()
        let unique = AttributeSchema.of(context.itemClass).uniqueKeys
        for key in unique + [.accessGroup, .viewHint, .tokenID, .creationDate] {
            attributes[key] = old[key]
        }
        attributes[.modificationDate] = .date(Self.modificationDate(after: old, now: clock.now()))
        return try sealer.seal(
            ItemMetadata(secretVersion: 0, attributes: attributes), at: context, secret: .written(nil))
    }
}

extension ItemQuery {
    /// Whether the deletion has to keep attributes for tombstones while it is prepared.
    fileprivate var mayLeaveTombstones: Bool { leavesTombstone ?? (synchronizable != .local) }
}
