import ChatelaineMemory
import ChatelaineModel
import StoreEngine

/// An item whose secret was read and is still sealed: whether it is wanted, something else has to say.
package struct SealedItem {
    /// Without its secret.
    package let item: FoundItem
    fileprivate let row: OpenedRow
}

extension ItemStore {
    /// The first item that a query describes, for a search by two steps, as that of an identity, of which the row is read once.
    ///
    /// - Returns: nil where there is none, and where only ``find(_:groups:whenLarge:authorise:use:)`` can say: it is large, damaged, still to be recovered, or
    ///   not for whoever asks.
    package func findFirst(
        _ query: ItemQuery, groups: [AccessGroup], authorise: RowAuthoriser = { _, _ in true }
    ) throws(KeychainError) -> SealedItem? {
        guard !engine.hasRowsToBring, !query.ignoresCase else { return nil }
        var plan = SearchPlan(
            query, groups: groups, digests: digests, wantsAttributes: true, wantsSecret: true, maximum: 1)
        plan.byteLimit = Self.smallResultBytes
        var outcome = try search(plan)
        guard !outcome.isLarge, outcome.damaged.isEmpty else { return nil }
        try self.authorise(&outcome.rows, .readAttributes, authorise)
        return outcome.rows.first.map { SealedItem(item: FoundItem($0, secret: nil), row: $0) }
    }

    /// The same item with its secret; nil where that does not open, or is not for whoever asks.
    package func open(
        _ sealed: SealedItem, authorise: RowAuthoriser = { _, _ in true }, use: KeyUser = { _ in nil }
    ) throws(KeychainError) -> FoundItem? {
        var rows = [sealed.row]
        try self.authorise(&rows, .readSecret, authorise)
        guard let row = rows.first, case .secret(let secret) = try sealer.openSecret(of: row, for: use) else {
            return nil
        }
        return FoundItem(row, secret: secret)
    }
}
