import ChatelaineSystem

/// Decides which of many similar log lines are written, so that no program can fill the log or drive out its other
/// lines.
///
/// It admits one line about the same thing each ``quietMilliseconds``, and ``linesPerWindow`` lines about all things in
/// that time. It counts the others, and the next line says how many were left out.
final class LogThrottle: Sendable {
    /// The time between two lines about one thing, short enough that a person who looks for the line sees it.
    static let quietMilliseconds: Int64 = 60_000
    /// Lines in ``quietMilliseconds``: a hundred kilobytes an hour at most.
    static let linesPerWindow = 16
    /// Things that are remembered.
    ///
    /// For other things the counts are less exact, and their lines are bounded all the same.
    static let rememberedThings = 128

    private struct State {
        var last: [String: (time: Int64, leftOut: Int)] = [:]
        var windowStart = Int64.min / 2
        var lines = 0
        /// Lines left out about things that are no longer remembered.
        var others = 0
    }

    private let state = AdaptiveMutex(State())
    private let now: @Sendable () -> Int64

    init(now: @escaping @Sendable () -> Int64 = { MonotonicClock.coarseMilliseconds }) { self.now = now }

    /// How many lines were left out before this one, or nil where this one is left out as well.
    func admit(_ thing: String) -> Int? {
        let now = now()
        return state.withLock { state in
            if now - state.windowStart >= Self.quietMilliseconds {
                state.windowStart = now
                state.lines = 0
            }
            let known = state.last[thing]
            let isQuiet = known.map { now - $0.time < Self.quietMilliseconds } ?? false
            guard !isQuiet, state.lines < Self.linesPerWindow else {
                if let known {
                    state.last[thing] = (known.time, known.leftOut + 1)
                } else {
                    state.others += 1
                }
                return nil
            }
            state.lines += 1
            let leftOut = (known?.leftOut ?? 0) + state.others
            state.others = 0
            if known == nil, state.last.count >= Self.rememberedThings,
                let oldest = state.last.min(by: { $0.value.time < $1.value.time })
            {
                state.others = oldest.value.leftOut
                state.last[oldest.key] = nil
            }
            state.last[thing] = (now, 0)
            return leftOut
        }
    }
}
