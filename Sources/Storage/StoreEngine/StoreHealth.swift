import Synchronization

/// The record of damage that SQLite met in an open store; shared by all connections of the store.
final class StoreHealth: Sendable {
    enum State: Int, Sendable {
        case sound = 0
        /// A first opening met damage that a second did not find, or a lock cannot be had: the connections are to be
        /// made anew.
        case suspect = 1
        /// A second opening found the damage, too.
        case damaged = 2
    }

    private let state = Atomic<Int>(State.sound.rawValue)
    private let log: @Sendable (StoreEvent) -> Void

    init(log: @escaping @Sendable (StoreEvent) -> Void = { _ in }) { self.log = log }

    var current: State { State(rawValue: state.load(ordering: .relaxed)) ?? .sound }

    /// Records that a connection could not get a lock.
    ///
    /// This process itself may hold a lock that the system did not release; such a lock goes away when its connection
    /// closes.
    func noteLock() {
        let (isNew, _) = state.compareExchange(
            expected: State.sound.rawValue, desired: State.suspect.rawValue, ordering: .relaxed)
        if isNew { log(.locked) }
    }

    /// Records damage; the state never improves, since a store that is not sound is opened anew.
    func note(_ found: State) {
        let (_, original) = state.compareExchange(
            expected: State.sound.rawValue, desired: found.rawValue, ordering: .relaxed)
        if original == State.suspect.rawValue, found == .damaged {
            state.store(State.damaged.rawValue, ordering: .relaxed)
        }
        if original < found.rawValue { log(.damageMet(isConfirmed: found == .damaged)) }
    }
}
