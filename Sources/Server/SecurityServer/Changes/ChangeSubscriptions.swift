import ChatelaineModel

/// The subscriptions to changes of items.
///
/// A subscriber hears of its own access groups, and of the store as a whole. A change sets a mark and rings a bell, and
/// waits for nothing.
final class ChangeSubscriptions: Sendable {
    let list = SubscriptionList<ChangeSubscription>(about: "changes")

    /// Subscribes a connection to all later changes of the caller's groups.
    func subscribe(_ slot: ConnectionSlot, _ caller: Caller) throws(KeychainError) {
        try list.add(try ChangeSubscription(slot, groups: Set(caller.groups)))
    }

    /// Notes that items of these groups in a keychain of `user` have changed, on disk, and notifies the subscribers of
    /// these groups.
    func note(_ groups: [AccessGroup], of user: UInt32, in keychain: KeychainName) {
        list.forEach { subscription in
            guard subscription.slot.uid == user, groups.contains(where: subscription.groups.contains) else { return }
            subscription.note(keychain)
        }
    }

    /// Notes that everything may have changed for everybody, without a request of a program.
    func noteEverything() { list.forEach { $0.note(nil) } }
}
