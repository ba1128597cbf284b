/// Events that wait for somebody, in order and of bounded number, however long nobody takes them.
///
/// What happens again is told once, as the last of what happened. With too many events those about items of one keychain become
/// one update without an item. Where that does not do, one change of the list stands for everything.
package struct KeychainEventQueue: Sendable {
    /// More than what happens between two looks of a program that does look.
    package static let maximumEvents = 128

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
        // Else the next event would have all of this done again.
        events = reduced.count > Self.maximumEvents / 2 ? [.anything] : reduced
    }
}

extension KeychainEvent {
    /// Whether it tells of whichever items of that keychain.
    fileprivate func isWhole(of keychain: String?) -> Bool {
        kind == .itemUpdated && item == nil && self.keychain == keychain
    }
}
