import ChatelaineModel
import Synchronization

/// What one request holds of the memory for large answers, if anything.
final class LargeReplyShare: Sendable {
    private let budget: Budget
    private let share = Mutex<Budget.Share?>(nil)

    init(of budget: Budget) { self.budget = budget }

    /// Waits for it, where it is not held already.
    ///
    /// - Returns: whether it was taken now.
    func take(for slot: ConnectionSlot) throws(KeychainError) -> Bool {
        guard share.withLock({ $0 == nil }) else { return false }
        let taken = try budget.take(SessionLimits.largeReplyBytes, for: slot)
        share.withLock { $0 = taken }
        return true
    }

    func release() {
        let held = share.withLock { share in
            defer { share = nil }
            return share
        }
        if let held { budget.give(back: held) }
    }
}
