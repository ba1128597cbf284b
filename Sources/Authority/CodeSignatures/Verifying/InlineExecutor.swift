import ChatelaineSystem

/// Runs asynchronous work on the thread that waits for it.
///
/// swift-certificates and jwt-kit are asynchronous for certificates and keys that must be fetched. Here all of them are
/// in memory. So no work ever waits, and a process that verifies one signature needs no thread pool.
package final class InlineExecutor: TaskExecutor {
    private let jobs: AdaptiveMutex<[UnownedJob]> = AdaptiveMutex([])

    private final class Slot<Answer: Sendable>: Sendable {
        let answer: AdaptiveMutex<Answer?> = AdaptiveMutex(nil)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// Runs `body` and returns its answer; nil if it waits for work elsewhere, which nothing here does.
    package static func run<Answer: Sendable>(_ body: @escaping @Sendable () async -> Answer) -> Answer? {
        let executor = InlineExecutor()
        let slot = Slot<Answer>()
        _ = Task(executorPreference: executor) {
            let answer = await body()
            slot.answer.withLock { $0 = answer }
        }
        while let job = executor.jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            job.runSynchronously(on: executor.asUnownedTaskExecutor())
        }
        return slot.answer.withLock { $0 }
    }
}
