import ChatelaineModel
import ItemStore

/// The access groups whose items a change touches, among those in which it looks for them.
///
/// Exact, since a subscriber that shares one group with the caller must not learn of changes in another.
struct TouchedGroups {
    private(set) var groups: [AccessGroup]
    private var others: [AccessGroup]

    /// - Parameter candidates: where the change looks for items. One alone is touched by every change that succeeds.
    init(of candidates: [AccessGroup]) {
        groups = candidates.count == 1 ? candidates : []
        others = candidates.count == 1 ? [] : candidates
    }

    /// An item is to be changed.
    mutating func note(_ row: RowAccess) {
        guard !others.isEmpty, let index = others.firstIndex(where: row.isOf) else { return }
        groups.append(others.remove(at: index))
    }

    /// Items are moved to that group.
    mutating func note(_ group: AccessGroup) { groups.append(group) }
}
