import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import SystemCalls

/// Workers of trustd that have judged a chain, and judge the next chains for the same purpose.
///
/// A fork for each chain takes several times as long as its evaluation. But a stranger's chain may take its worker
/// over, and the worker could then lie about other chains. So a worker only gets chains about which one connection asks
/// the same: for the same policies and names, with the same anchors. Who has taken it over has had that answer about a
/// chain of his own already. A chain for another host has another worker.
///
/// A worker is ended a second after its first question, which also bounds its memory and its processor time.
final class KeptWorkers: Sendable {
    /// Milliseconds from the first question of a worker to its end: enough for connections that follow each other.
    static let milliseconds = 1000
    /// Workers that are kept at one time, besides those with a question.
    static let most = 2

    /// What a worker answers: the purpose of its questions, and who asks them.
    struct Purpose: Equatable {
        private let slot: ConnectionSlot
        /// The question without the certificates, what is known of their revocation, and the date.
        private let question: TrustQuestion

        /// Nil where securityd itself asks.
        init?(_ question: TrustQuestion, of slot: ConnectionSlot?) {
            guard let slot else { return nil }
            self.slot = slot
            var common = question
            (common.certificates, common.stored, common.date) = ([], [], nil)
            (common.responses, common.revocationLists) = ([], [])
            self.question = common
        }

        static func == (left: Self, right: Self) -> Bool {
            left.slot === right.slot && left.question == right.question
        }
    }

    /// A worker with its purpose, and when it is ended.
    struct Kept {
        let worker: WorkerProcess
        let purpose: Purpose
        /// Milliseconds of the clock.
        let end: Int64
        /// Whether it had a chain before the last one.
        var isShared = false
    }

    private let time: Int
    private let clock: @Sendable () -> Int64
    private let state = Monitor(State())

    private struct State {
        /// The workers without a question, the oldest first.
        var kept: [Kept] = []
        /// The workers that the thread which watches them has to end.
        var ending: [WorkerProcess] = []
        var isWatched = false
    }

    init(
        milliseconds: Int = milliseconds, clock: @escaping @Sendable () -> Int64 = { MonotonicClock.bootMilliseconds }
    ) {
        (time, self.clock) = (milliseconds, clock)
    }

    /// The time at which a worker is ended whose first question is asked now.
    var end: Int64 { clock() + Int64(time) }

    /// A worker of the purpose that waits for a question; the caller gives it back (``keep(_:)``) or ends it.
    func take(for purpose: Purpose) -> Kept? {
        let now = clock()
        let (taken, hasToEnd) = state.withLock { state -> (Kept?, Bool) in
            while let index = state.kept.firstIndex(where: { $0.purpose == purpose }) {
                var former = state.kept.remove(at: index)
                former.isShared = true
                if former.worker.isReady, now < former.end { return (former, !state.ending.isEmpty) }
                state.ending.append(former.worker)
            }
            return (nil, !state.ending.isEmpty)
        }
        if hasToEnd { state.signal() }
        return taken
    }

    /// Keeps a worker that has answered, until its time is over or others need its place.
    func keep(_ worker: Kept) {
        let now = clock()
        state.withLock { state in
            if now < worker.end {
                state.kept.append(worker)
                if state.kept.count > Self.most { state.ending.append(state.kept.removeFirst().worker) }
            } else {
                state.ending.append(worker.worker)
            }
            guard !state.isWatched else { return }
            state.isWatched = Worker.start { [self] in watch() }
            if !state.isWatched { Self.endAll(&state) }
        }
        // A watcher that waits has to look at the new one's time.
        state.signal()
    }

    /// Without a thread that ends them, no worker is kept.
    private static func endAll(_ state: inout State) {
        for worker in state.kept.map(\.worker) + state.ending { worker.end() }
        (state.kept, state.ending) = ([], [])
    }

    /// Ends workers whose time is over, as long as there are any.
    private func watch() {
        while let over = next() { for worker in over { worker.end() } }
    }

    /// Waits for workers that are to be ended; nil once there are none.
    private func next() -> [WorkerProcess]? {
        state.wait { state -> Awaited<[WorkerProcess]?> in
            let now = clock()
            let over = state.ending + state.kept.filter { $0.end <= now }.map(\.worker)
            state.kept.removeAll { $0.end <= now }
            state.ending = []
            guard over.isEmpty else { return .answer(over) }
            guard let first = state.kept.map(\.end).min() else {
                state.isWatched = false
                return .answer(nil)
            }
            return .nothing(milliseconds: Int(first - now))
        }
    }
}
