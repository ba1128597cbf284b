import Glibc

/// A lock around a value, for threads that hold it for moments: who finds it taken tries again for a while before it sleeps,
/// and whoever comes first gets it when it is free.
///
/// `Mutex` of the module Synchronization hands itself over to the thread that has waited longest. On a busy machine that
/// thread is asleep while the lock is its own already, and everybody else waits for it to be woken: a convoy.
// `@unchecked Sendable`: the value is touched under the lock alone.
@usableFromInline
package struct AdaptiveMutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    @usableFromInline
    let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline
    let value: UnsafeMutablePointer<Value>

    package init(_ value: consuming sending Value) {
        mutex = .allocate(capacity: 1)
        self.value = .allocate(capacity: 1)
        self.value.initialize(to: value)
        var attributes = pthread_mutexattr_t()
        pthread_mutexattr_init(&attributes)
        // SAFETY: freshly allocated memory that does not move; initialising it cannot fail on Linux.
        pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_ADAPTIVE_NP))
        pthread_mutex_init(mutex, &attributes)
        pthread_mutexattr_destroy(&attributes)
    }

    deinit {
        pthread_mutex_destroy(mutex)
        mutex.deallocate()
        value.deinitialize(count: 1)
        value.deallocate()
    }

    /// Runs `body` with the lock held. It must not take the same lock.
    @inlinable
    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value.pointee)
    }

    /// The same, if nobody has the lock; nil otherwise.
    @inlinable
    package borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
        guard pthread_mutex_trylock(mutex) == 0 else { return nil }
        defer { pthread_mutex_unlock(mutex) }
        return try body(&value.pointee)
    }
}
