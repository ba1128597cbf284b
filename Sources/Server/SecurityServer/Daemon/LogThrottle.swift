import ChatelaineSystem

/// Decides which of many like remarks is made, so that no program can fill the log, or drive out what else it holds.
///
/// One about the same thing each ``quietMilliseconds``, and ``linesPerWindow`` about all things together in that time;
/// the others are counted, and the next line says how many there were.
final class LogThrottle: Sendable {
    /// Between two lines about one thing: often enough to be seen by who looks for it.
    static let quietMilliseconds: Int64 = 60_000
    /// Lines in that time: a hundred kilobytes an hour at most.
    static let linesPerWindow = 16
    /// Things that are remembered; about others less is known, and their lines are bounded all the same.
    static let rememberedThings = 128

    private struct State {
        var last: [String: (time: Int64, leftOut: Int)] = [:]
        var windowStart = Int64.min / 2
        var lines = 0
        /// Remarks left out about things that are not remembered any more.
        var others = 0
    }

    private let state = AdaptiveMutex(State())
    private let now: @Sendable () -> Int64

    init(now: @escaping @Sendable () -> Int64 = { MonotonicClock.coarseMilliseconds }) { self.now = now }

    /// How many remarks were left out before this one, or nil where this one is left out as well.
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
