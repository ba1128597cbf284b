import ChatelaineModel
import ChatelaineSystem
import Glibc

/// How far rows are sealed anew whose keys were replaced.
///
/// Nothing of it is on disk: which rows are left, the rows say themselves, by the keys that they name. A look at those of a million rows takes
/// a second or two, once after a start.
final class Resealing: Sendable {
    enum Phase: Sendable {
        /// Nothing is to be done, as far as is known.
        case none
        /// Rows of the table, in their order.
        case rows
        /// Damaged rows that were set aside.
        case setAside
        /// Copies of the store, and the keys.
        case ending
    }

    /// Changed under ``turn`` alone.
    struct State: Sendable {
        var keys = SupersededKeys()
        var phase = Phase.none
        /// The last row that was looked at, and the highest that there was when that began.
        var position: Int64 = 0
        var highest: Int64 = 0
        /// Rows that were passed over, since they are locked.
        var locked = 0
        /// Rows that were sealed anew or set aside since the last look whether any is left.
        var changed = 0
        /// Rows that were sealed anew since the start.
        var resealed = 0
        /// The keys with which nothing more can be done: until others are open, nobody needs to try.
        var vain: SupersededKeys?
        /// When it began, by ``StoreClock/elapsed``.
        var begun: Double?
        /// Whether others have been served meanwhile, who then wait for short steps only.
        var use = ProcessorUse()
        var isShort = false
        /// How long the last step took, in seconds.
        var stepSeconds = 0.0

        mutating func begin(_ phase: Phase, after position: Int64 = 0) {
            self.phase = phase
            self.position = position
            locked = 0
        }
    }

    let state = AdaptiveMutex(State())
    /// One step at a time.
    let turn = AdaptiveMutex<Void>(())
}

/// How far the rows of a store are sealed anew, as people see it.
package struct ResealingProgress: Equatable, Sendable {
    /// Hundredths of the rows that were looked at since securityd started, or since something was unlocked.
    package var percent: Int
    /// Whether it goes on once keys are unlocked.
    package var isWaiting: Bool
}

extension RowStore {
    /// How far it is; nil where no key was replaced that is still there.
    package func resealingProgress() -> ResealingProgress? {
        guard let resealer = examiner.resealer else { return nil }
        // Whoever asks may know of new keys before anybody has begun.
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

    /// How long to wait before the next step, in microseconds: as long as the last one took, so that half of one processor's time is left, and
    /// four times as long while others are served.
    package var resealingPause: UInt32 {
        let (seconds, isShort) = resealing.state.withLock { ($0.stepSeconds, $0.isShort) }
        return UInt32(min(max(seconds * (isShort ? 4 : 1) * 1e6, 1_000), 100_000))
    }
}
