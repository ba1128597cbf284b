import ChatelaineModel
import ChatelaineSystem

/// The access groups of recent callers that have items.
///
/// A program may have twenty groups, most of them empty, and a look-up would look into each. An entry holds for one
/// state of the store, identified by its last change, so that no item is missed. Only the second look-up in a state
/// makes the entry, since a single look-up would not repay it.
final class NonEmptyGroupCache: Sendable {
    enum Knowledge: Equatable {
        /// The groups are unknown: the search looks into all of them.
        case none
        /// The search has to find out which groups have items, and ``note(_:of:among:at:)`` the result.
        case due
        case known([AccessGroup])
    }

    private struct Entry {
        let itemClass: ItemClass
        let groups: [AccessGroup]
        var occupied: [AccessGroup]?
    }

    /// The fewest groups that are worth an entry; looking into fewer is faster than identifying the state.
    static let worthwhileCount = 4
    /// The most entries; programs with many groups are rare, and another one replaces the first.
    static let maximumCount = 16

    private let state = AdaptiveMutex<(sequence: UInt64, entries: [Entry])>((0, []))

    func look(_ groups: [AccessGroup], of itemClass: ItemClass, at sequence: UInt64) -> Knowledge {
        state.withLock { state in
            if state.sequence != sequence { state = (sequence, []) }
            // Nearly always it is the array that a session has kept, which costs one comparison.
            if let entry = state.entries.first(where: { $0.itemClass == itemClass && $0.groups == groups }) {
                return entry.occupied.map { .known($0) } ?? .due
            }
            if state.entries.count == Self.maximumCount { state.entries.removeFirst() }
            state.entries.append(Entry(itemClass: itemClass, groups: groups, occupied: nil))
            return .none
        }
    }

    /// Records the groups that have items.
    ///
    /// - Parameter sequence: the state of the store in which they were found.
    func note(_ occupied: [AccessGroup], of itemClass: ItemClass, among groups: [AccessGroup], at sequence: UInt64) {
        state.withLock { state in
            guard state.sequence == sequence,
                let index = state.entries.firstIndex(where: { $0.itemClass == itemClass && $0.groups == groups })
            else { return }
            state.entries[index].occupied = occupied
        }
    }
}
