import ChatelaineModel
import ChatelaineSystem
import Synchronization

/// Who is told of events of file keychains, and the one place that tells them.
///
/// Any program of the user may be: an event names a keychain and an item, and nothing that is in them. Connections are counted as those
/// of ``ChangeSubscriptions``, and apart from these. An event costs one atomic read where nobody listens. Else it goes into a
/// bounded queue of each, and waits for nobody.
final class KeychainEventSubscriptions: Sendable {
    private final class Subscription: Sendable {
        let slot: ConnectionSlot
        let queue: NotificationQueue<KeychainEventQueue>

        init(_ slot: ConnectionSlot) throws(KeychainError) {
            self.slot = slot
            queue = try NotificationQueue(KeychainEventQueue())
        }
    }

    private let subscriptions = AdaptiveMutex<[Subscription]>([])
    private let count = Atomic(0)

    /// Whether the process of that connection has one that carries events.
    func hasConnection(of slot: ConnectionSlot) -> Bool {
        subscriptions.withLock { $0.contains { $0.slot.isOfSameProcess(as: slot) } }
    }

    /// Makes a connection one that carries whatever happens from now on.
    func subscribe(_ slot: ConnectionSlot) throws(KeychainError) {
        let subscription = try Subscription(slot)
        try subscriptions.withLock { (subscriptions) throws(KeychainError) in
            guard !subscriptions.contains(where: { $0.slot.isOfSameProcess(as: slot) }) else {
                throw KeychainError(.notAvailable, "this process hears of keychains already, over another connection")
            }
            guard subscriptions.count < SessionLimits.subscriptionsPerUser,
                subscriptions.count(where: { $0.slot.owner == slot.owner }) < SessionLimits.subscriptionsPerProgram
            else {
                throw KeychainError(.notAvailable, "so many processes hear of keychains already that this one cannot")
            }
            subscriptions.append(subscription)
            count.add(1, ordering: .sequentiallyConsistent)
            slot.isListening = true
        }
    }

    /// What a connection is to be told, where it has become one that carries events.
    func queue(of slot: ConnectionSlot) -> NotificationQueue<KeychainEventQueue>? {
        subscriptions.withLock { $0.first { $0.slot === slot }?.queue }
    }

    /// The connection ends, and its place is free.
    func leave(_ slot: ConnectionSlot) {
        guard slot.isListening else { return }
        subscriptions.withLock { subscriptions in
            guard let index = subscriptions.firstIndex(where: { $0.slot === slot }) else { return }
            subscriptions.remove(at: index)
            count.subtract(1, ordering: .sequentiallyConsistent)
            slot.isListening = false
        }
    }

    /// Tells of what has happened, on disk, because of the request that this thread serves (``Originator``).
    func post(_ kind: KeychainEvent.Kind, of keychain: String?, item: KeychainItemReference? = nil) {
        guard count.load(ordering: .sequentiallyConsistent) > 0 else { return }
        let event = KeychainEvent(
            kind, keychain: keychain, item: item, pid: UInt32(clamping: Originator.pid))
        subscriptions.withLock { for subscription in $0 { subscription.queue.add { $0.add(event) } } }
    }

    /// Tells what differs in the preferences.
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

extension KeychainEventQueue: PendingNotifications {}

extension ConnectionSlot {
    func isOfSameProcess(as other: ConnectionSlot) -> Bool { pid == other.pid && uid == other.uid }
}

/// The process whose request this thread serves; 0 where securityd acts by itself.
enum Originator {
    @TaskLocal static var pid: Int32 = 0

    /// Does something that no process has asked for.
    static func none(_ body: () -> Void) { $pid.withValue(0, operation: body) }

    /// Does something that a process has asked for, on whatever thread.
    static func being<Answer>(
        _ process: Int32, _ body: () throws(KeychainError) -> Answer
    ) throws(KeychainError) -> Answer {
        try $pid.withValue(process) { Result { () throws(KeychainError) in try body() } }.get()
    }
}
