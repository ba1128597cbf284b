import ChatelaineIPC
import ChatelaineModel
import Glibc
import Synchronization

/// Memory for large requests, shared by all sessions.
///
/// Whoever finds it spent waits: its client is still sending, and is held up by nothing but a full socket.
final class Budget: Sendable {
    private static let pauseMicroseconds: UInt32 = 5_000

    private let left: Mutex<Int>

    init(bytes: Int) { left = Mutex(bytes) }

    /// Throws `errSecNotAvailable` when so much does not come free within ``SessionLimits/turnSeconds``.
    func take(_ bytes: Int) throws(KeychainError) {
        let tries = SessionLimits.turnSeconds * 1_000_000 / Int(Self.pauseMicroseconds)
        for _ in 0..<tries {
            let isGranted = left.withLock { left in
                guard left >= bytes else { return false }
                left -= bytes
                return true
            }
            if isGranted { return }
            usleep(Self.pauseMicroseconds)
        }
        throw KeychainError(.notAvailable, "too many large requests are in flight; try again")
    }

    func give(back bytes: Int) { left.withLock { $0 += bytes } }
}
