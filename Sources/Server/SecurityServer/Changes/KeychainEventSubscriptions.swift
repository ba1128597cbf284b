import ChatelaineModel
import ChatelaineSystem
import Synchronization

/// The subscriptions to events of file keychains, and the one place that posts such events.
///
/// Any program of the user may subscribe, since an event names a keychain and an item, and nothing of their content.
/// The connections are counted like those of ``ChangeSubscriptions``, and apart from them. Without subscribers an event
/// costs one atomic read. Otherwise it goes into a bounded queue of each subscriber, and waits for nothing.
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

    /// Whether the process of that connection has a connection that carries events.
    func hasConnection(of slot: ConnectionSlot) -> Bool {
        subscriptions.withLock { $0.contains { $0.slot.isOfSameProcess(as: slot) } }
    }

    /// Subscribes a connection to all later events.
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

    /// The queue of a connection, if it carries events.
    func queue(of slot: ConnectionSlot) -> NotificationQueue<KeychainEventQueue>? {
        subscriptions.withLock { $0.first { $0.slot === slot }?.queue }
    }

    /// Removes the subscription of a connection that ends.
    func leave(_ slot: ConnectionSlot) {
        guard slot.isListening else { return }
        subscriptions.withLock { subscriptions in
            guard let index = subscriptions.firstIndex(where: { $0.slot === slot }) else { return }
            subscriptions.remove(at: index)
            count.subtract(1, ordering: .sequentiallyConsistent)
            slot.isListening = false
        }
    }

    /// Posts an event that has happened, on disk, because of the request that this thread serves (``Originator``).
    func post(_ kind: KeychainEvent.Kind, of keychain: String?, item: KeychainItemReference? = nil) {
        guard count.load(ordering: .sequentiallyConsistent) > 0 else { return }
        let event = KeychainEvent(
            kind, keychain: keychain, item: item, pid: UInt32(clamping: Originator.pid))
        subscriptions.withLock { for subscription in $0 { subscription.queue.add { $0.add(event) } } }
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

extension KeychainEventQueue: PendingNotifications {}

extension ConnectionSlot {
    func isOfSameProcess(as other: ConnectionSlot) -> Bool { pid == other.pid && uid == other.uid }
}

/// The process whose request this thread serves; 0 where securityd acts by itself.
enum Originator {
    @TaskLocal static var pid: Int32 = 0
    /// The connection whose request this thread serves; nil on any other thread.
    ///
    /// What is asked of the key custodian takes places in its name (``ProgramPlaces``).
    @TaskLocal static var slot: ConnectionSlot?

    /// The program of that connection; nil where securityd acts by itself, or for a person.
    static var owner: BudgetOwner? { slot?.owner }

    /// Runs `body` on behalf of no process.
    static func none(_ body: () -> Void) { $pid.withValue(0, operation: body) }

    /// Runs `body` on behalf of a process, on any thread.
    static func being<Answer>(
        _ process: Int32, _ body: () throws(KeychainError) -> Answer
    ) throws(KeychainError) -> Answer {
        try $pid.withValue(process) { Result { () throws(KeychainError) in try body() } }.get()
    }
}
