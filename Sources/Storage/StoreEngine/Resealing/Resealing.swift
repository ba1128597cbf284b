import ChatelaineModel
import ChatelaineSystem
import Glibc

/// The progress of sealing rows anew whose keys were replaced.
///
/// None of it is on disk: the remaining rows name the old keys. Reading the key names of a million rows takes a second
/// or two, once after a start.
final class Resealing: Sendable {
    enum Phase: Sendable {
        /// No work is known.
        case none
        /// Resealing rows of the table, in their order.
        case rows
        /// Resealing damaged rows in the quarantine.
        case setAside
        /// Replacing copies of the store, and destroying the keys.
        case ending
    }

    /// The progress; changed only while ``turn`` is held.
    struct State: Sendable {
        var keys = SupersededKeys()
        var phase = Phase.none
        /// The last row that was looked at, and the highest row at the beginning of the pass.
        var position: Int64 = 0
        var highest: Int64 = 0
        /// Locked rows, which were passed over.
        var locked = 0
        /// Rows that were resealed or set aside since the last check for remaining rows.
        var changed = 0
        /// Rows that were resealed since the start.
        var resealed = 0
        /// The keys with which no more work is possible until others are unlocked.
        var vain: SupersededKeys?
        /// When resealing began, by ``StoreClock/elapsed``.
        var begun: Double?
        /// Whether requests were served meanwhile, which then wait for short steps only.
        var use = ProcessorUse()
        var isShort = false
        /// The duration of the last step, in seconds.
        var stepSeconds = 0.0

        mutating func begin(_ phase: Phase, after position: Int64 = 0) {
            self.phase = phase
            self.position = position
            locked = 0
        }
    }

    let state = AdaptiveMutex(State())
    /// The lock of a step.
    let turn = AdaptiveMutex<Void>(())
}

/// The progress of resealing, as people see it.
package struct ResealingProgress: Equatable, Sendable {
    /// Hundredths of the rows that were looked at since securityd started, or since the last unlock.
    package var percent: Int
    /// Whether resealing waits for keys to be unlocked.
    package var isWaiting: Bool
}

extension RowStore {
    /// The progress of resealing; nil where no replaced key still exists.
    package func resealingProgress() -> ResealingProgress? {
        guard let resealer = examiner.resealer else { return nil }
        // The caller may know of new keys before resealing has begun.
        let now = try? resealer.supersededKeys()
        return resealing.state.withLock { state in
            guard let keys = now ?? (state.keys.ids.isEmpty ? nil : state.keys), !keys.ids.isEmpty else { return nil }
            let isWaiting = keys.access == .none || state.vain == keys
            let percent: Int
            switch state.phase {
            case .none: percent = 0
            case .rows:
                percent = state.highest > 0 ? Int(min(Double(state.position) / Double(state.highest), 0.99) * 100) : 0
            case .setAside, .ending: percent = 99
            }
            return ResealingProgress(percent: percent, isWaiting: isWaiting)
        }
    }

    /// How long the caller waits before the next step, in microseconds.
    ///
    /// The pause is as long as the last step, which leaves half of one processor's time, and four times as long while
    /// requests are served.
    package var resealingPause: UInt32 {
        let (seconds, isShort) = resealing.state.withLock { ($0.stepSeconds, $0.isShort) }
        return UInt32(min(max(seconds * (isShort ? 4 : 1) * 1e6, 1_000), 100_000))
    }
}
