import Glibc

/// A semaphore: places of which there are a few, and threads that wait for one.
// `@unchecked Sendable`: the pointer never changes, and the semaphore behind it is made for threads.
package final class CountingSemaphore: @unchecked Sendable {
    private let semaphore: UnsafeMutablePointer<sem_t>

    /// - Parameter count: places that are free in the beginning.
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

    /// Takes a place, once there is one.
    package func wait() {
        while sem_wait(semaphore) != 0, errno == EINTR {}
    }

    /// Gives one back.
    package func signal() { sem_post(semaphore) }
}
