import ChatelaineModel

/// The subscriptions to events of file keychains, and the one place that posts such events.
///
/// Any program of the user may subscribe, since an event names a keychain and an item, and nothing of their content. An
/// event goes into a bounded queue of each subscriber, and waits for nothing.
final class KeychainEventSubscriptions: Sendable {
    let list = SubscriptionList<KeychainEventSubscription>(about: "events of keychains")

    /// Subscribes a connection to all later events.
    func subscribe(_ slot: ConnectionSlot) throws(KeychainError) { try list.add(try KeychainEventSubscription(slot)) }

    /// Posts an event that has happened, on disk, because of the request that this thread serves (``Originator``).
    func post(_ kind: KeychainEvent.Kind, of keychain: String?, item: KeychainItemReference? = nil) {
        list.forEach { subscription in
            let event = KeychainEvent(kind, keychain: keychain, item: item, pid: UInt32(clamping: Originator.pid))
            subscription.queue.add { $0.add(event) }
        }
    }

    /// Posts the changes of the preferences.
    func post(_ changes: [KeychainPreferencesChange], _ preferences: KeychainPreferences, in folders: KeychainFolders) {
        for change in changes {
            switch change {
            case .searchList: post(.listChanged, of: nil)
            case .defaultKeychain(let domain):
                post(.defaultChanged, of: (try? preferences.defaultKeychain(of: domain, in: folders))?.text)
            }
        }
    }
}

/// One connection that carries events of file keychains.
final class KeychainEventSubscription: Subscription {
    let slot: ConnectionSlot
    let queue: NotificationQueue<KeychainEventQueue>

    init(_ slot: ConnectionSlot) throws(KeychainError) {
        self.slot = slot
        queue = try NotificationQueue(KeychainEventQueue())
    }
}

extension KeychainEventQueue: PendingNotifications {}
