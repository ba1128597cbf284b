import ChatelaineModel
import ChatelaineSystem
import Synchronization

/// Who is told that something changed: the connections that carry notifications, and nothing else.
///
/// They are counted apart from all others, so that they take nobody's place and nobody takes theirs: one of a process, since whoever
/// shares a connection among processes would have to pass on what comes; a number of a program, so that one leaves others room; and
/// a number of a user. A subscriber hears of its own access groups, and of the store as a whole.
///
/// A change costs one atomic read where nobody listens. Else it sets a mark and rings a bell, and waits for nobody.
final class ChangeSubscriptions: Sendable {
    private let subscriptions = AdaptiveMutex<[ChangeSubscription]>([])
    private let count = Atomic(0)

    /// Whether the process of that connection has one that carries notifications.
    func hasConnection(of slot: ConnectionSlot) -> Bool {
        subscriptions.withLock { $0.contains { $0.isOfSameProcess(as: slot) } }
    }

    /// Makes a connection one that carries notifications of the caller's groups: of each change that is made from now on.
    func subscribe(_ slot: ConnectionSlot, _ caller: Caller) throws(KeychainError) {
        let subscription = try ChangeSubscription(slot, groups: Set(caller.groups))
        try subscriptions.withLock { (subscriptions) throws(KeychainError) in
            guard !subscriptions.contains(where: { $0.isOfSameProcess(as: slot) }) else {
                throw KeychainError(.notAvailable, "this process listens for changes already, over another connection")
            }
            guard
                subscriptions.count(where: { $0.slot.uid == slot.uid }) < SessionLimits.subscriptionsPerUser,
                subscriptions.count(where: { $0.slot.owner == slot.owner }) < SessionLimits.subscriptionsPerProgram
            else {
                throw KeychainError(.notAvailable, "so many processes listen for changes already that this one cannot")
            }
            subscriptions.append(subscription)
            count.add(1, ordering: .sequentiallyConsistent)
            slot.isListening = true
        }
    }

    /// The subscription of a connection, where it has become one that carries notifications.
    func subscription(of slot: ConnectionSlot) -> ChangeSubscription? {
        subscriptions.withLock { $0.first { $0.slot === slot } }
    }

    /// The connection ends, and its place is free; it then counts as the ordinary one that it was.
    func leave(_ slot: ConnectionSlot) {
        guard slot.isListening else { return }
        subscriptions.withLock { subscriptions in
            guard let index = subscriptions.firstIndex(where: { $0.slot === slot }) else { return }
            subscriptions.remove(at: index)
            count.subtract(1, ordering: .sequentiallyConsistent)
            slot.isListening = false
        }
    }

    /// Items of these groups in a keychain of `user` have changed, on disk; whoever has one of them is told.
    func note(_ groups: [AccessGroup], of user: UInt32, in keychain: KeychainName) {
        // After a change that a subscriber may have waited for: it was counted before its subscription was answered.
        guard count.load(ordering: .sequentiallyConsistent) > 0 else { return }
        subscriptions.withLock { subscriptions in
            for subscription in subscriptions
            where subscription.slot.uid == user && groups.contains(where: subscription.groups.contains) {
                subscription.note(keychain)
            }
        }
    }

    /// Everything may have changed for everybody, and no request of a program's is why.
    func noteEverything() {
        guard count.load(ordering: .sequentiallyConsistent) > 0 else { return }
        subscriptions.withLock { for subscription in $0 { subscription.note(nil) } }
    }
}
