import Glibc

/// A lock with a condition variable, on memory that never moves.
// `@unchecked Sendable`: all it holds are the two primitives, which are made for sharing.
@usableFromInline
package final class Monitor: @unchecked Sendable {
    @usableFromInline
    let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    package init() {
        // SAFETY: freshly allocated memory, initialised here, which cannot fail on Linux.
        pthread_mutex_init(mutex, nil)
        var attributes = pthread_condattr_t()
        pthread_condattr_init(&attributes)
        // The monotonic clock, which no one can set.
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        pthread_cond_init(condition, &attributes)
        pthread_condattr_destroy(&attributes)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    @inlinable
    package func locked<Result>(_ body: () throws -> Result) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body()
    }

    /// Releases the lock until somebody signals, and takes it again; call it inside ``locked(_:)``.
    package func wait() { pthread_cond_wait(condition, mutex) }

    /// As ``wait()``, for so many milliseconds at the most.
    package func wait(milliseconds: Int) {
        var until = timespec()
        clock_gettime(CLOCK_MONOTONIC, &until)
        let nanoseconds = until.tv_nsec + milliseconds % 1000 * 1_000_000
        until.tv_sec += milliseconds / 1000 + nanoseconds / 1_000_000_000
        until.tv_nsec = nanoseconds % 1_000_000_000
        pthread_cond_timedwait(condition, mutex, &until)
    }

    /// Wakes all threads that wait.
    package func broadcast() { pthread_cond_broadcast(condition) }

    package func signal() { pthread_cond_signal(condition) }
}
