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
// `@unchecked Sendable`: everything that changes is touched under `monitor`.
final class KeptWorkers: @unchecked Sendable {
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
    private let monitor = Monitor()
    /// The workers without a question, the oldest first.
    private var kept: [Kept] = []
    private var ending: [WorkerProcess] = []
    private var isWatched = false

    init(
        milliseconds: Int = milliseconds, clock: @escaping @Sendable () -> Int64 = { MonotonicClock.bootMilliseconds }
    ) {
        (time, self.clock) = (milliseconds, clock)
    }

    /// The time at which a worker is ended whose first question is asked now.
    var end: Int64 { clock() + Int64(time) }

    /// A worker of the purpose that waits for a question; the caller gives it back (``keep(_:)``) or ends it.
    func take(for purpose: Purpose) -> Kept? {
        monitor.locked {
            while let index = kept.firstIndex(where: { $0.purpose == purpose }) {
                var former = kept.remove(at: index)
                former.isShared = true
                if former.worker.isReady, clock() < former.end { return former }
                end(former.worker)
            }
            return nil
        }
    }

    /// Keeps a worker that has answered, until its time is over or others need its place.
    func keep(_ worker: Kept) {
        monitor.locked {
            if clock() < worker.end {
                kept.append(worker)
                if kept.count > Self.most { end(kept.removeFirst().worker) }
            } else {
                end(worker.worker)
            }
            // A watcher that waits has to look at the new one's time.
            guard !isWatched else { return monitor.signal() }
            isWatched = Worker.start { [self] in watch() }
            if !isWatched { endAll() }
        }
    }

    /// Has a worker ended by the thread that watches them.
    ///
    /// Call it under the lock.
    private func end(_ worker: WorkerProcess) {
        ending.append(worker)
        monitor.signal()
    }

    /// Without a thread that ends them, no worker is kept.
    private func endAll() {
        for worker in kept.map(\.worker) + ending { worker.end() }
        (kept, ending) = ([], [])
    }

    /// Ends workers whose time is over, as long as there are any.
    private func watch() {
        while let over = next() { for worker in over { worker.end() } }
    }

    /// Waits for workers that are to be ended; nil once there are none.
    private func next() -> [WorkerProcess]? {
        monitor.locked {
            while true {
                let now = clock()
                ending += kept.filter { $0.end <= now }.map(\.worker)
                kept.removeAll { $0.end <= now }
                guard ending.isEmpty else {
                    defer { ending = [] }
                    return ending
                }
                guard let first = kept.map(\.end).min() else {
                    isWatched = false
                    return nil
                }
                monitor.wait(milliseconds: Int(first - now))
            }
        }
    }
}
