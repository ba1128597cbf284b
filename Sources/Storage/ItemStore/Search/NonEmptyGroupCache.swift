import ChatelaineModel
import ChatelaineSystem

/// Which of a caller's access groups have items, of those callers that were here last.
///
/// A program may have twenty groups, of which most are empty, and a look-up would look into each. What is known holds for one state of the store, told
/// by the number of its last change, so that nobody misses an item for it. It is found out at the second look-up in a state, since one alone would not
/// be worth it.
final class NonEmptyGroupCache: Sendable {
    enum Knowledge: Equatable {
        /// Look into all of them.
        case none
        /// It is time to find out, and to ``note(_:of:among:at:)`` it.
        case due
        case known([AccessGroup])
    }

    private struct Entry {
        let itemClass: ItemClass
        let groups: [AccessGroup]
        var occupied: [AccessGroup]?
    }

    /// Fewer are looked into faster than it is found out which state this is.
    static let worthwhileCount = 4
    /// Programs with many groups are rare; another one takes the place of the first.
    static let maximumCount = 16

    private let state = AdaptiveMutex<(sequence: UInt64, entries: [Entry])>((0, []))

    func look(_ groups: [AccessGroup], of itemClass: ItemClass, at sequence: UInt64) -> Knowledge {
        state.withLock { state in
            if state.sequence != sequence { state = (sequence, []) }
            // Nearly always the very array that a session has kept, which costs one comparison.
            if let entry = state.entries.first(where: { $0.itemClass == itemClass && $0.groups == groups }) {
                return entry.occupied.map { .known($0) } ?? .due
            }
            if state.entries.count == Self.maximumCount { state.entries.removeFirst() }
            state.entries.append(Entry(itemClass: itemClass, groups: groups, occupied: nil))
            return .none
        }
    }

    /// - Parameter sequence: the state in which it was found out.
    func note(_ occupied: [AccessGroup], of itemClass: ItemClass, among groups: [AccessGroup], at sequence: UInt64) {
        state.withLock { state in
            guard state.sequence == sequence,
                let index = state.entries.firstIndex(where: { $0.itemClass == itemClass && $0.groups == groups })
            else { return }
            state.entries[index].occupied = occupied
        }
    }
}
