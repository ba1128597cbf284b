import ChatelaineIPC
import ChatelaineModel

/// One connection that carries notifications, for which the thread of the connection waits.
///
/// It keeps the thread that it had: whether its process is still the one that subscribed is looked at before each notification, which
/// can take as long as that process likes, and is not to hold up others. What it is to be told of is a set of bounded size, however
/// long its process does not read.
final class ChangeSubscription: Sendable {
    /// Keychains that one remembers; with more of them, everything may have changed.
    static let rememberedKeychains = KeychainRegistry.maximumKeychains

    private struct Pending: PendingNotifications {
        /// Of changes, told or not.
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
    /// Those of which it is told.
    let groups: Set<AccessGroup>
    private let queue: NotificationQueue<Pending>

    init(_ slot: ConnectionSlot, groups: Set<AccessGroup>) throws(KeychainError) {
        self.slot = slot
        self.groups = groups
        queue = try NotificationQueue(Pending())
    }

    func isOfSameProcess(as other: ConnectionSlot) -> Bool { slot.pid == other.pid && slot.uid == other.uid }

    /// There is something to tell: of that keychain, or of everything. Waits for nobody.
    func note(_ keychain: KeychainName?) { queue.add { $0.add(keychain) } }

    /// What is to be told next; one notification for all that came since the last.
    func next() -> ChangeNotification? { queue.next() }

    /// Tells whatever is to be told (``NotificationQueue/deliver(over:untilEndOf:recheck:)``).
    func deliver(over channel: FrameChannel, untilEndOf process: Int32, recheck: () throws -> Void) throws -> Never {
        try queue.deliver(over: channel, untilEndOf: process, recheck: recheck)
    }
}
