import ChatelaineModel
import ChatelaineSystem
import Synchronization

/// The subscriptions to changes of items: connections that carry notifications, and nothing else.
///
/// They are counted apart from all other connections, so that neither takes the other's place. A process has one, since
/// processes that share a connection would have to pass on what comes. The numbers of a program and of a user are
/// limited, so that each leaves room for others. A subscriber hears of its own access groups, and of the store as a
/// whole.
///
/// Without subscribers a change costs one atomic read. Otherwise it sets a mark and rings a bell, and waits for
/// nothing.
final class ChangeSubscriptions: Sendable {
    private let subscriptions = AdaptiveMutex<[ChangeSubscription]>([])
    private let count = Atomic(0)

    /// Whether the process of that connection has a connection that carries notifications.
    func hasConnection(of slot: ConnectionSlot) -> Bool {
        subscriptions.withLock { $0.contains { $0.isOfSameProcess(as: slot) } }
    }

    /// Subscribes a connection to all later changes of the caller's groups.
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

    /// The subscription of a connection, if it has one.
    func subscription(of slot: ConnectionSlot) -> ChangeSubscription? {
        subscriptions.withLock { $0.first { $0.slot === slot } }
    }

    /// Removes the subscription of a connection that ends.
    ///
    /// The connection then counts as an ordinary one again.
    func leave(_ slot: ConnectionSlot) {
        guard slot.isListening else { return }
        subscriptions.withLock { subscriptions in
            guard let index = subscriptions.firstIndex(where: { $0.slot === slot }) else { return }
            subscriptions.remove(at: index)
            count.subtract(1, ordering: .sequentiallyConsistent)
            slot.isListening = false
        }
    }

    /// Notes that items of these groups in a keychain of `user` have changed, on disk, and notifies the subscribers of
    /// these groups.
    func note(_ groups: [AccessGroup], of user: UInt32, in keychain: KeychainName) {
        // The subscriber was counted before its subscription was answered, so this read sees every subscriber that may
        // wait for the change.
        guard count.load(ordering: .sequentiallyConsistent) > 0 else { return }
        subscriptions.withLock { subscriptions in
            for subscription in subscriptions
            where subscription.slot.uid == user && groups.contains(where: subscription.groups.contains) {
                subscription.note(keychain)
            }
        }
    }

    /// Notes that everything may have changed for everybody, without a request of a program.
    func noteEverything() {
        guard count.load(ordering: .sequentiallyConsistent) > 0 else { return }
        subscriptions.withLock { for subscription in $0 { subscription.note(nil) } }
    }
}
