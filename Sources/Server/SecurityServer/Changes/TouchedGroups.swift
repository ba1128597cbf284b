import ChatelaineModel
import ItemStore

/// The access groups whose items a change touches, among those that it searches.
///
/// They are exact, since a subscriber that shares one group with the caller must not learn of changes in another.
struct TouchedGroups {
    private(set) var groups: [AccessGroup]
    private var others: [AccessGroup]

    /// Starts with the searched groups.
    ///
    /// - Parameter candidates: the groups that the change searches. A single one is touched by every change that
    ///   succeeds.
    init(of candidates: [AccessGroup]) {
        groups = candidates.count == 1 ? candidates : []
        others = candidates.count == 1 ? [] : candidates
    }

    /// Notes an item that is changed.
    mutating func note(_ row: RowAccess) {
        guard !others.isEmpty, let index = others.firstIndex(where: row.isOf) else { return }
        groups.append(others.remove(at: index))
    }

    /// Notes a group to which items are moved.
    mutating func note(_ group: AccessGroup) { groups.append(group) }
}
