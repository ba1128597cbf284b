import ChatelaineModel
import Synchronization

/// The share of the memory for large answers that one request holds, if any.
final class LargeReplyShare: Sendable {
    private let budget: Budget
    private let share = Mutex<Budget.Share?>(nil)

    init(of budget: Budget) { self.budget = budget }

    /// Waits for the share, unless the request holds it already.
    ///
    /// - Returns: whether the share was taken by this call.
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
