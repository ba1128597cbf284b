import CChatelaine
import ChatelaineIPC
import ChatelaineSystem
import Glibc
import SystemCalls

/// Closes what a stranger may have made, on threads of its own that hold up nobody.
///
/// close(2) waits for a TCP socket with SO_LINGER, for a terminal that takes no more, for a file of a file system that is a
/// program (FUSE); and closing a Unix socket closes whatever lies unread in it. No question says which is which, and some
/// would have to wait for the answer. A signal ends the wait for a socket and a terminal, and nothing is lost by it:
/// the kernel goes on alone. Only the program of a file system can end the wait for itself.
// `@unchecked Sendable`: everything that changes is touched under `monitor`.
package final class DescriptorCloser: DescriptorClosing, @unchecked Sendable {
    /// Threads at one time, as many as a determined program can have wait for its own file system.
    static let threads = 64
    /// Descriptors that wait for one of those. With those of all connections that is less than securityd
    /// may have open (4096).
    static let waiting = 1024
    /// Between the signals to a thread that closes: at first, and at last.
    private static let pauseMicroseconds: UInt32 = 2_000
    private static let longestPauseMicroseconds: UInt32 = 512_000
    /// Nothing else uses it, and by default it is ignored.
    private static let wakening = SIGURG

    private let threads: Int
    private let waiting: Int
    private let close: @Sendable (Int32) -> Void
    private let monitor = Monitor()
    private var queue: [Int32] = []
    /// Threads that were started, and those of them that are about to close something.
    private var running = 0
    private var closing: [UInt64: pthread_t] = [:]
    private var lastClosing: UInt64 = 0
    private var isWaking = false
    private var pause = DescriptorCloser.pauseMicroseconds

    package convenience init() { self.init(threads: Self.threads, waiting: Self.waiting) }

    init(
        threads: Int, waiting: Int, close: @escaping @Sendable (Int32) -> Void = { Glibc.close($0) }
    ) {
        self.threads = threads
        self.waiting = waiting
        self.close = close
        // Not to be ignored, so that it interrupts.
        signal(Self.wakening) { _ in }
    }

    /// Takes `descriptor` over; it is closed soon, or when the peer wishes.
    ///
    /// Waits only while as many are waiting as may. Then whoever has one to get rid of keeps its own place among the
    /// connections, and no more are accepted.
    package func dispose(_ descriptor: consuming Descriptor) {
        let number = descriptor.release()
        let needsThread = monitor.locked {
            while queue.count >= waiting { monitor.wait() }
            queue.append(number)
            guard running < threads else { return false }
            running += 1
            return true
        }
        guard needsThread else { return }
        if Worker.start({ self.work() }) { return wakeSleepers() }
        monitor.locked { running -= 1 }
    }

    /// Closes the socket of a connection that has ended: here where nothing is left in it, which nobody can change.
    package func dispose(connection: consuming Descriptor) {
        shutdown(connection.number, Int32(SHUT_RDWR))
        guard chatelaine_peek(connection.number) == 0 else { return dispose(connection) }
    }

    var pending: Int { monitor.locked { queue.count + closing.count } }

    private func work() {
        // A thread inherits what its maker does not want to hear.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, Self.wakening)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        while let (number, ticket) = next() {
            close(number)
            monitor.locked { closing[ticket] = nil }
        }
    }

    private func next() -> (number: Int32, ticket: UInt64)? {
        defer { monitor.broadcast() }
        return monitor.locked {
            guard !queue.isEmpty else {
                running -= 1
                return nil
            }
            let number = queue.removeFirst()
            lastClosing += 1
            closing[lastClosing] = pthread_self()
            pause = Self.pauseMicroseconds
            return (number, lastClosing)
        }
    }

    private func wakeSleepers() {
        let needsThread = monitor.locked {
            defer { isWaking = true }
            return !isWaking
        }
        guard needsThread, !Worker.start({ while self.wake() {} }) else { return }
        monitor.locked { isWaking = false }
    }

    /// Wakes those that close since before the last time; false when there is nothing left to do.
    private func wake() -> Bool {
        let (pause, last) = monitor.locked { (self.pause, lastClosing) }
        usleep(pause)
        return monitor.locked {
            isWaking = running > 0
            self.pause = min(2 * self.pause, Self.longestPauseMicroseconds)
            // A thread takes itself out under this lock before it ends.
            for (ticket, thread) in closing where ticket <= last { pthread_kill(thread, Self.wakening) }
            return isWaking
        }
    }
}
