import Glibc

/// A semaphore, for threads that wait for one of a few connections.
// `@unchecked Sendable`: the pointer never changes, and the semaphore behind it is made for threads.
final class CountingSemaphore: @unchecked Sendable {
    private let semaphore: UnsafeMutablePointer<sem_t>

    init(_ count: UInt32) {
        // SAFETY: a place of its own that does not move, as `sem_init` demands; released in `deinit`.
        semaphore = .allocate(capacity: 1)
        semaphore.initialize(to: sem_t())
        sem_init(semaphore, 0, count)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func wait() {
        while sem_wait(semaphore) != 0, errno == EINTR {}
    }

    func signal() { sem_post(semaphore) }
}
