import ChatelaineSystem

/// Does asynchronous work on the thread that waits for it.
///
/// swift-certificates and jwt-kit are asynchronous for sources of certificates and keys that have to be fetched. Ours are at hand, so no
/// work ever waits for anything, and a process that looks at one signature needs no pool of threads.
package final class InlineExecutor: TaskExecutor {
    private let jobs: AdaptiveMutex<[UnownedJob]> = AdaptiveMutex([])

    private final class Slot<Answer: Sendable>: Sendable {
        let answer: AdaptiveMutex<Answer?> = AdaptiveMutex(nil)
    }

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
    }

    /// What `body` answers; nil where it waits for something that is done elsewhere, which nothing here does.
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
