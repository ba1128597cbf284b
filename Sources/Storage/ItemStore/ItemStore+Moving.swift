import ChatelaineModel
import StoreEngine

extension ItemStore {
    /// The most items that one call moves: all of them are prepared in memory, at some 2 KiB each.
    static let maximumMovedItems = 100_000

    /// Moves every item of an access group into another one, all of them or none, and leaves their dates as they are.
    ///
    /// This is for a program whose identifier has changed, as by its first signature: for the user the items are the
    /// same.
    ///
    /// - Parameters:
    ///   - authorise: decides about each row before its next version is prepared; false refuses the whole move.
    ///   - use: the user for whom the keys of rows with constraints are asked for.
    /// - Returns: how many items were moved; 0 where a repeated request was answered before.
    /// - Throws: `errSecItemNotFound` for a group without items; `errSecDuplicateItem` where the other group has an
    ///   item with the same unique attributes; `errSecDataTooLarge` beyond ``maximumMovedItems``;
    ///   `errSecInteractionNotAllowed` for locked items. `errSecNotAvailable` while a recovery goes on, which may bring
    ///   further items.
    package func moveItems(
        from former: AccessGroup, to group: AccessGroup, request: ChangeRequest, authorise: RowAuthoriser,
        use: KeyUser
    ) throws(KeychainError) -> Int {
        guard former != group else { throw KeychainError(.param, "the items are in that group already") }
        guard !engine.hasRowsToBring else {
            throw KeychainError(
                .notAvailable, "the keychain is being recovered; items can change their group once that is done")
        }
        var change = ItemChange()
        change.accessGroup = group
        let plans = [ItemClass.genericPassword, .internetPassword, .certificate, .key].map { itemClass in
            var query = ItemQuery(itemClass: itemClass)
            query.synchronizable = .any
            return SearchPlan(
                query, groups: [former], digests: digests, wantsAttributes: true, wantsSecret: true,
                maximum: Self.maximumMovedItems + 1)
        }
        var moved = 0
        let answer = try repeating(request) { () throws(KeychainError) in
            var found: [(plan: SearchPlan, outcome: SearchOutcome, rows: [PreparedRow])] = []
            for plan in plans {
                guard let (outcome, rows) = try everyItem(of: plan, moving: change, use, authorise) else { continue }
                found.append((plan, outcome, rows))
            }
            moved = found.reduce(0) { $0 + $1.rows.count }
            guard moved > 0 else { throw KeychainError(.itemNotFound, "the group has no items") }
            guard moved <= Self.maximumMovedItems else {
                throw KeychainError(.dataTooLarge, "the group has more than \(Self.maximumMovedItems) items")
            }
            return { (session) throws(KeychainError) in
                for (plan, outcome, rows) in found {
                    guard session.accepts(rows), try session.isCurrent(outcome, of: plan) else { return .outdated }
                }
                for row in found.lazy.flatMap(\.rows) {
                    do throws(KeychainError) { try session.update(row) } catch {
                        guard error.cause == .duplicate else { throw error }
                        return .conflict(uniqueDigest: row.uniqueDigest)
                    }
                }
                try session.record(request)
                return .done
            }
        }
        return answer == nil ? moved : 0
    }

    /// The items of a class, prepared for their new group; nil for a class without items.
    private func everyItem(
        of plan: SearchPlan, moving change: ItemChange, _ use: KeyUser, _ authoriser: RowAuthoriser
    ) throws(KeychainError) -> (SearchOutcome, [PreparedRow])? {
        do throws(KeychainError) {
            return try prepared(
                plan, change, use,
                { (row, operation) throws(KeychainError) in
                    guard try authoriser(row, operation) else { throw Self.notAllOfThem }
                    return true
                }, keepsDates: true)
        } catch {
            // A class without items is no error.
            guard error.status == .itemNotFound else { throw error }
            return nil
        }
    }

    private static var notAllOfThem: KeychainError {
        KeychainError(.authFailed, "one of the items may not be moved, so none was")
    }
}
