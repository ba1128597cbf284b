import ChatelaineIPC
import ChatelaineModel

/// One connection that carries notifications of changes, for which the thread of the connection waits.
///
/// The connection keeps its thread. Before each notification the thread checks that the process is still the one that
/// subscribed. The process can delay that check at will, and must not delay others with it. The pending notifications
/// are a set of bounded size, however long the process does not read.
final class ChangeSubscription: Subscription {
    /// The keychains that a subscription remembers.
    ///
    /// Beyond that, everything may have changed.
    static let rememberedKeychains = KeychainRegistry.maximumKeychains

    struct Pending: PendingNotifications {
        /// The number of changes so far, whether sent or not.
        var number: UInt64 = 0
        var keychains: Set<KeychainName> = []
        var isEverything = false
        var isEmpty: Bool { keychains.isEmpty && !isEverything }

        mutating func add(_ keychain: KeychainName?) {
            number += 1
            if let keychain, !isEverything { keychains.insert(keychain) }
            guard keychain == nil || keychains.count > ChangeSubscription.rememberedKeychains else { return }
            isEverything = true
            keychains = []
        }

        mutating func next() -> ChangeNotification? {
            guard !isEmpty else { return nil }
            defer { isEverything = false }
            return ChangeNotification(number: number, keychain: keychains.popFirst())
        }
    }

    let slot: ConnectionSlot
    /// The groups of which the subscriber is told.
    let groups: Set<AccessGroup>
    let queue: NotificationQueue<Pending>

    init(_ slot: ConnectionSlot, groups: Set<AccessGroup>) throws(KeychainError) {
        self.slot = slot
        self.groups = groups
        queue = try NotificationQueue(Pending())
    }

    /// Notes a change of that keychain, or of everything for nil.
    ///
    /// Waits for nothing.
    func note(_ keychain: KeychainName?) { queue.add { $0.add(keychain) } }
}
