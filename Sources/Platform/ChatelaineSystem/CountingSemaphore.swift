import Glibc

/// A semaphore: a limited number of places for threads, which wait while none is free.
// `@unchecked Sendable`: the pointer never changes, and the semaphore behind it is made for threads.
package final class CountingSemaphore: @unchecked Sendable {
    private let semaphore: UnsafeMutablePointer<sem_t>

    /// - Parameter count: how many places are free in the beginning.
    package init(_ count: Int) {
        // SAFETY: a place of its own that does not move, as `sem_init` demands; released in `deinit`.
        semaphore = .allocate(capacity: 1)
        semaphore.initialize(to: sem_t())
        sem_init(semaphore, 0, UInt32(clamping: count))
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    /// Takes a place; waits while none is free.
    package func wait() {
        while sem_wait(semaphore) != 0, errno == EINTR {}
    }

    /// Returns a place.
    package func signal() { sem_post(semaphore) }
}
