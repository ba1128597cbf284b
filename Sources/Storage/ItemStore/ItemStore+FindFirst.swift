import ChatelaineMemory
import ChatelaineModel
import StoreEngine

/// An item whose secret was read and is still sealed: the caller decides later whether it needs the secret.
package struct SealedItem {
    /// The item without its secret.
    package let item: FoundItem
    fileprivate let row: OpenedRow
}

extension ItemStore {
    /// Finds the first item that a query describes, for a search in two steps that reads the row once, as for an
    /// identity.
    ///
    /// - Returns: nil without a match, and where only ``find(_:groups:whenLarge:authorise:use:)`` can decide. That is
    ///   so for an item that is large, damaged, still to be recovered, or not for the caller.
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

    /// Opens the secret of a found item; nil where it does not open, or is not for the caller.
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
