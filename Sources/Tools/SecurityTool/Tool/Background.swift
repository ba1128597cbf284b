import CChatelaine
import Glibc
import Synchronization

/// Runs a blocking call on its own thread, so that the calling thread can watch the clock.
///
/// The thread is never stopped; if no one waits for it, it ends with the process.
final class Background<Value: Sendable>: Sendable {
    private let outcome: Mutex<Value?>
    /// Our end of a socket pair; the thread closes the other end when it is done.
    private let done: Int32

    init(_ body: @escaping @Sendable () -> Value) {
        outcome = Mutex(nil)
        var ends: [Int32] = [-1, -1]
        guard chatelaine_unix_socketpair(&ends) == 0 else {
            done = -1
            outcome.withLock { $0 = body() }
            return
        }
        done = ends[0]
        let signal = ends[1]
        let job = Job { [self] in
            let value = body()
            outcome.withLock { $0 = value }
            close(signal)
        }
        var thread = pthread_t()
        // Signals are for the calling thread, whose prompts block them.
        var (all, mask) = (sigset_t(), sigset_t())
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &mask)
        defer { pthread_sigmask(SIG_SETMASK, &mask, nil) }
        // SAFETY: the thread takes over the one reference that is passed to it, and nothing else has it.
        let isStarted = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Job>.fromOpaque(argument).takeRetainedValue().body()
                return nil
            }, Unmanaged.passRetained(job).toOpaque())
        if isStarted == 0 { pthread_detach(thread) } else { job.body() }
    }

    deinit { if done >= 0 { close(done) } }

    /// The value; nil if there is none after `milliseconds` (-1 for no limit).
    func wait(milliseconds: Int32) -> Value? {
        if done >= 0 {
            var end = pollfd(fd: done, events: Int16(POLLIN), revents: 0)
            while poll(&end, 1, milliseconds) < 0, errno == EINTR {}
        }
        return outcome.withLock { $0 }
    }
}

/// The work of a thread.
private final class Job: Sendable {
    let body: @Sendable () -> Void

    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}
