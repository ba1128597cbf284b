import ChatelaineModel
import Glibc
import Synchronization

/// Memory for large requests, shared by all sessions: whoever finds it spent is refused, and may ask again.
final class Budget: Sendable {
    private let left: Mutex<Int>

    init(bytes: Int) { left = Mutex(bytes) }

    /// Throws `errSecNotAvailable` when so much is not left.
    func take(_ bytes: Int) throws(KeychainError) {
        let isGranted = left.withLock { left in
            guard left >= bytes else { return false }
            left -= bytes
            return true
        }
        guard isGranted else {
            throw KeychainError(.notAvailable, "too many large requests are in flight; try again")
        }
    }

    func give(back bytes: Int) { left.withLock { $0 += bytes } }
}
