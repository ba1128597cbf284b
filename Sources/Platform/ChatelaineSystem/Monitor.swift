import Glibc

/// A value behind a lock, for threads that wait until the value has changed.
// `@unchecked Sendable`: the value is touched under the lock alone.
@usableFromInline
package final class Monitor<Value: Sendable>: Wakeable, @unchecked Sendable {
    @usableFromInline
    let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    @usableFromInline
    let value = UnsafeMutablePointer<Value>.allocate(capacity: 1)

    package init(_ value: Value) {
        self.value.initialize(to: value)
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
        value.deinitialize(count: 1)
        value.deallocate()
        condition.deallocate()
        mutex.deallocate()
    }

    /// Runs `body` with the lock held; `body` must not take the same lock.
    @inlinable
    package func withLock<Answer, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Answer
    ) throws(Failure) -> Answer {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value.pointee)
    }

    /// Looks at the value with the lock held, and again after each wait, until there is an answer.
    ///
    /// The lock is free during a wait. So a look keeps nothing of the value for the next one.
    @inlinable
    package func wait<Answer, Failure: Error>(
        for look: (inout Value) throws(Failure) -> Awaited<Answer>
    ) throws(Failure) -> Answer {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while true {
            switch try look(&value.pointee) {
            case .answer(let answer): return answer
            case .nothing(let milliseconds): rest(milliseconds)
            }
        }
    }

    /// Waits until the value meets a condition.
    package func waitUntil(_ isMet: (Value) -> Bool) {
        wait { isMet($0) ? .answer(()) : .nothing() }
    }

    /// Releases the lock until somebody signals, or the time is over, and takes it again.
    @usableFromInline
    func rest(_ milliseconds: Int?) {
        guard let milliseconds else {
            pthread_cond_wait(condition, mutex)
            return
        }
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

    /// Wakes all threads that wait, because of something else than the value.
    ///
    /// The lock is taken, so that the call does not fall between a thread's look and its wait.
    package func wake() { withLock { _ in broadcast() } }
}

/// Something on which threads wait, whatever it is about.
package protocol Wakeable: AnyObject, Sendable {
    /// Makes all threads that wait look again.
    func wake()
}

/// The result of one look at the value of a monitor (``Monitor/wait(for:)``).
@frozen
@usableFromInline
package enum Awaited<Answer> {
    case answer(Answer)
    /// There is no answer yet.
    ///
    /// The next look follows when somebody signals, and at the latest after so many milliseconds; nil for no limit.
    case nothing(milliseconds: Int? = nil)
}
