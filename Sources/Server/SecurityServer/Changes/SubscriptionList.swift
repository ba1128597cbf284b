import ChatelaineModel
import ChatelaineSystem
import Glibc
import Synchronization

/// A connection that carries notifications of one kind, with those that wait for it.
protocol Subscription: Sendable {
    var slot: ConnectionSlot { get }
}

/// The connections that carry notifications of one kind, and nothing else.
///
/// They are counted apart from all other connections and from those of other kinds, so that none takes another's place.
/// A process has one, since processes that share a connection would have to pass on what comes. The numbers of a
/// program and of a user are limited, so that each leaves room for others.
final class SubscriptionList<Member: Subscription>: Sendable {
    private let subject: String
    private let members = AdaptiveMutex<[Member]>([])
    private let count = Atomic(0)

    /// - Parameter subject: what the notifications are about, for errors.
    init(about subject: String) { self.subject = subject }

    /// Waits until the former connection of that process is gone, which a program has just ended; for milliseconds.
    func awaitEndOfFormer(_ slot: ConnectionSlot) {
        for _ in 1..<SessionLimits.admissionAttempts where hasConnection(of: slot) {
            usleep(SessionLimits.admissionPause)
        }
    }

    private func hasConnection(of slot: ConnectionSlot) -> Bool {
        members.withLock { $0.contains { $0.slot.isOfSameProcess(as: slot) } }
    }

    /// Makes a connection one that carries notifications, from now on.
    func add(_ member: Member) throws(KeychainError) {
        let slot = member.slot
        try members.withLock { (members) throws(KeychainError) in
            guard !members.contains(where: { $0.slot.isOfSameProcess(as: slot) }) else {
                throw KeychainError(
                    .notAvailable, "this process listens for \(subject) already, over another connection")
            }
            guard
                members.count(where: { $0.slot.uid == slot.uid }) < SessionLimits.subscriptionsPerUser,
                members.count(where: { $0.slot.owner == slot.owner }) < SessionLimits.subscriptionsPerProgram
            else {
                throw KeychainError(
                    .notAvailable, "so many processes listen for \(subject) already that this one cannot")
            }
            members.append(member)
            count.add(1, ordering: .sequentiallyConsistent)
            slot.isListening = true
        }
    }

    /// The member of a connection; nil for a connection of another kind.
    func member(of slot: ConnectionSlot) -> Member? { members.withLock { $0.first { $0.slot === slot } } }

    /// Removes a connection that ends.
    ///
    /// The connection then counts as an ordinary one again.
    func leave(_ slot: ConnectionSlot) {
        guard slot.isListening else { return }
        members.withLock { members in
            guard let index = members.firstIndex(where: { $0.slot === slot }) else { return }
            members.remove(at: index)
            count.subtract(1, ordering: .sequentiallyConsistent)
            slot.isListening = false
        }
    }

    /// Runs `body` for each member; without members that costs one atomic read.
    ///
    /// A member was counted before its subscription was answered. So the read sees everybody who may wait for what has
    /// just happened.
    func forEach(_ body: (Member) -> Void) {
        guard count.load(ordering: .sequentiallyConsistent) > 0 else { return }
        members.withLock { $0.forEach(body) }
    }
}

extension ConnectionSlot {
    fileprivate func isOfSameProcess(as other: ConnectionSlot) -> Bool { pid == other.pid && uid == other.uid }
}
