import Glibc

/// A lock with a condition to wait for, on memory that never moves.
// `@unchecked Sendable`: all it holds are the two primitives, which are made for sharing.
public final class Monitor: @unchecked Sendable {
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)

    public init() {
        // SAFETY: freshly allocated memory, initialised here with default attributes, which cannot fail on Linux.
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(condition, nil)
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    public func locked<Result>(_ body: () throws -> Result) rethrows -> Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body()
    }

    /// Gives the lock up until somebody signals; call it inside ``locked(_:)``.
    public func wait() { pthread_cond_wait(condition, mutex) }

    public func signal() { pthread_cond_signal(condition) }
}
