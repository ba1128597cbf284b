/// Events that wait for a listener, in order and of bounded number, even if the listener never takes them.
///
/// A repeated event is kept once, at its last place. If there are too many events, those about items of one keychain
/// become one update without an item. If that is not enough, one change of the list stands for everything.
package struct KeychainEventQueue: Sendable {
    /// More events than happen between two look-ups of a program.
    static let maximumEvents = 128

    private var events: [KeychainEvent] = []

    package init() {}

    package var isEmpty: Bool { events.isEmpty }
    package var count: Int { events.count }

    package mutating func add(_ event: KeychainEvent) {
        if event.kind.isAboutItems, let index = events.firstIndex(where: { $0.isWhole(of: event.keychain) }) {
            if events[index].pid != event.pid { events[index].pid = 0 }
            return
        }
        if let index = events.firstIndex(where: event.isSame) { events.remove(at: index) }
        events.append(event)
        if events.count > Self.maximumEvents { reduce() }
    }

    package mutating func next() -> KeychainEvent? { events.isEmpty ? nil : events.removeFirst() }

    private mutating func reduce() {
        var reduced: [KeychainEvent] = []
        for event in events {
            guard event.kind.isAboutItems else {
                reduced.append(event)
                continue
            }
            if let index = reduced.firstIndex(where: { $0.isWhole(of: event.keychain) }) {
                if reduced[index].pid != event.pid { reduced[index].pid = 0 }
            } else {
                reduced.append(KeychainEvent(.itemUpdated, keychain: event.keychain, pid: event.pid))
            }
        }
        // Keeping more than half would make the next event trigger this again.
        events = reduced.count > Self.maximumEvents / 2 ? [.anything] : reduced
    }
}

extension KeychainEvent {
    /// Whether the event stands for any items of the keychain.
    fileprivate func isWhole(of keychain: String?) -> Bool {
        kind == .itemUpdated && item == nil && self.keychain == keychain
    }
}
