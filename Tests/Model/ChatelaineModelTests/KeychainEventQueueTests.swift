import Testing

@testable import ChatelaineModel

/// Tests of events that wait in a queue.
@Suite struct KeychainEventQueueTests {
    private func item(_ kind: KeychainEvent.Kind, _ keychain: String = "/a", pid: UInt32 = 1) -> KeychainEvent {
        let item = PersistentReference(itemClass: .genericPassword, identifier: ItemIdentifier())
        return KeychainEvent(
            kind, keychain: keychain, item: KeychainItemReference(keychain: StoreIdentifier(), item: item), pid: pid)
    }

    private func take(_ queue: inout KeychainEventQueue) -> [KeychainEvent] {
        var events: [KeychainEvent] = []
        while let event = queue.next() { events.append(event) }
        return events
    }

    @Test func orderIsKept() {
        var queue = KeychainEventQueue()
        let events = [
            KeychainEvent(.unlocked, keychain: "/a"), item(.itemAdded), item(.itemUpdated), KeychainEvent(.listChanged),
        ]
        for event in events { queue.add(event) }
        #expect(take(&queue) == events && queue.isEmpty)
    }

    /// The last event of each kind shows the current state.
    @Test func whatHappensAgainIsToldOnceAndLast() {
        var queue = KeychainEventQueue()
        for pid in 1...1000 {
            queue.add(KeychainEvent(.locked, keychain: "/a", pid: UInt32(pid)))
            queue.add(KeychainEvent(.unlocked, keychain: "/a"))
        }
        queue.add(KeychainEvent(.locked, keychain: "/a", pid: 7))
        queue.add(KeychainEvent(.locked, keychain: "/b"))
        #expect(
            take(&queue) == [
                KeychainEvent(.unlocked, keychain: "/a"), KeychainEvent(.locked, keychain: "/a", pid: 7),
                KeychainEvent(.locked, keychain: "/b"),
            ])
    }

    @Test func manyItemsAreOneUpdateOfTheirKeychain() {
        var queue = KeychainEventQueue()
        queue.add(KeychainEvent(.locked, keychain: "/b"))
        queue.add(item(.itemDeleted, "/b", pid: 2))
        for _ in 0..<10_000 { queue.add(item(.itemAdded)) }
        #expect(queue.count <= KeychainEventQueue.maximumEvents)
        queue.add(item(.itemAdded, pid: 9))
        #expect(
            take(&queue) == [
                KeychainEvent(.locked, keychain: "/b"), KeychainEvent(.itemUpdated, keychain: "/b", pid: 2),
                KeychainEvent(.itemUpdated, keychain: "/a", pid: 0),
            ])
    }

    /// Who asked for additions alone would not hear of the update that stands for them.
    @Test func whatStandsForOthersIsForWhoeverAskedForThese() {
        #expect(item(.itemUpdated).mask == KeychainEvent.Kind.itemUpdated.mask)
        let whole = KeychainEvent(.itemUpdated, keychain: "/a", pid: 1)
        for kind in [KeychainEvent.Kind.itemAdded, .itemDeleted, .itemUpdated] {
            #expect(whole.mask & kind.mask != 0)
        }
        #expect(whole.mask & KeychainEvent.Kind.locked.mask == 0)
        #expect(KeychainEvent.Kind.allCases.allSatisfy { KeychainEvent.anything.mask & $0.mask != 0 })
        #expect(KeychainEvent(.listChanged, pid: 1).mask == KeychainEvent.Kind.listChanged.mask)
    }

    @Test func manyKeychainsAreOneChangeOfTheList() {
        var queue = KeychainEventQueue()
        for number in 0...KeychainEventQueue.maximumEvents {
            queue.add(KeychainEvent(.locked, keychain: "/\(number)", pid: 5))
        }
        #expect(take(&queue) == [.anything])
    }
}
