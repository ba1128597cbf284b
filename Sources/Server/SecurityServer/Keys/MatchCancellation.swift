import ChatelaineSystem
import Glibc

/// Ends the wait for a biometric, from any thread.
///
/// The custodian notices by the end of the request's channel.
package final class MatchCancellation: Sendable {
    private struct State {
        var isStopped = false
        /// The channel while the request is under way; otherwise -1.
        var socket: Int32 = -1
    }

    private let state = AdaptiveMutex(State())

    package init() {}

    var isStopped: Bool { state.withLock { $0.isStopped } }

    package func stop() {
        state.withLock { state in
            state.isStopped = true
            if state.socket >= 0 { shutdown(state.socket, Int32(SHUT_RDWR)) }
        }
    }

    /// Sets the channel that ``stop()`` shuts down, -1 for none; false where the wait is over.
    @discardableResult
    func enter(_ socket: Int32) -> Bool {
        state.withLock { state in
            state.socket = socket
            return !state.isStopped
        }
    }
}
