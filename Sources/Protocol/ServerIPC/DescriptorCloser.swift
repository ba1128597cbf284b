import CChatelaine
import ChatelaineIPC
import ChatelaineSystem
import Glibc
import SystemCalls

/// Closes descriptors that a stranger may have made, on its own threads, so that no other thread waits.
///
/// close(2) can block: for a TCP socket with SO_LINGER, for a terminal that takes no more output, or for a file of a
/// FUSE file system, which is a program. Closing a Unix socket closes the unread descriptors in it as well. No system
/// call tells such descriptors from others without blocking itself in some cases.
///
/// A signal ends the wait for a socket or a terminal, and nothing is lost: the kernel finishes alone. Only the program
/// of a FUSE file system can end the wait for its file.
package final class DescriptorCloser: DescriptorClosing {
    /// The most threads: as many as a determined program can block by its own file system.
    static let threads = 64
    /// The most descriptors that wait for a thread. With the descriptors of all connections, that is less than
    /// securityd may have open (4096).
    static let waiting = 1024
    /// The pause between signals to a thread that closes: the first pause and the longest.
    private static let pauseMicroseconds: UInt32 = 2_000
    private static let longestPauseMicroseconds: UInt32 = 512_000
    /// The signal to threads that close. Nothing else uses it, and by default it is ignored.
    private static let wakening = SIGURG

    private let threads: Int
    private let waiting: Int
    private let close: @Sendable (Int32) -> Void
    private let start: @Sendable (@escaping @Sendable () -> Void) -> Bool
    private let state = Monitor(State())

    private struct State {
        var queue: [Int32] = []
        /// How many threads were started; and those of them that are about to close a descriptor.
        var running = 0
        var closing: [UInt64: pthread_t] = [:]
        var lastClosing: UInt64 = 0
        var isWaking = false
        var pause = DescriptorCloser.pauseMicroseconds
    }

    package convenience init() { self.init(threads: Self.threads, waiting: Self.waiting) }

    /// - Parameter start: runs something on another thread; false where none can be had.
    init(
        threads: Int, waiting: Int, close: @escaping @Sendable (Int32) -> Void = { Glibc.close($0) },
        start: @escaping @Sendable (@escaping @Sendable () -> Void) -> Bool = { Worker.start($0) }
    ) {
        self.threads = threads
        self.waiting = waiting
        self.close = close
        self.start = start
        // An ignored signal would not interrupt close(2).
        signal(Self.wakening) { _ in }
    }

    /// Takes over `descriptor`, which is closed soon, or when the peer lets it.
    ///
    /// Waits while the queue is full. The caller then keeps its own place among the connections, so that no more are
    /// accepted. Where no thread can be had, the caller closes what waits.
    package func dispose(_ descriptor: consuming Descriptor) {
        let number = descriptor.release()
        let needsThread = state.wait { state -> Awaited<Bool> in
            // Only threads make room.
            guard state.queue.count < waiting || state.running == 0 else { return .nothing() }
            state.queue.append(number)
            guard state.running < threads else { return .answer(false) }
            state.running += 1
            return .answer(true)
        }
        guard needsThread else { return }
        if start({ self.work() }) { return wakeSleepers() }
        let isAlone = state.withLock { state in
            // A thread that there is closes it after its own. The caller counts as one while it closes.
            guard state.running == 1 else {
                state.running -= 1
                return false
            }
            return true
        }
        if isAlone { work() }
    }

    /// Closes the socket of a connection that has ended.
    ///
    /// An empty socket is closed at once: after the shutdown nobody can put anything into it.
    package func dispose(connection: consuming Descriptor) {
        shutdown(connection.number, Int32(SHUT_RDWR))
        guard chatelaine_peek(connection.number) == 0 else { return dispose(connection) }
    }

    var pending: Int { state.withLock { $0.queue.count + $0.closing.count } }

    private func work() {
        // A thread inherits the signal mask of the thread that made it.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, Self.wakening)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        while let (number, ticket) = next() {
            close(number)
            state.withLock { $0.closing[ticket] = nil }
        }
    }

    private func next() -> (number: Int32, ticket: UInt64)? {
        defer { state.broadcast() }
        return state.withLock { state in
            guard !state.queue.isEmpty else {
                state.running -= 1
                return nil
            }
            let number = state.queue.removeFirst()
            state.lastClosing += 1
            state.closing[state.lastClosing] = pthread_self()
            state.pause = Self.pauseMicroseconds
            return (number, state.lastClosing)
        }
    }

    private func wakeSleepers() {
        let needsThread = state.withLock { state in
            defer { state.isWaking = true }
            return !state.isWaking
        }
        guard needsThread, !start({ while self.wake() {} }) else { return }
        state.withLock { $0.isWaking = false }
    }

    /// Signals the threads that began to close before the last pause; false when nothing is left to do.
    private func wake() -> Bool {
        let (pause, last) = state.withLock { ($0.pause, $0.lastClosing) }
        usleep(pause)
        return state.withLock { state in
            state.isWaking = state.running > 0
            state.pause = min(2 * state.pause, Self.longestPauseMicroseconds)
            // A thread removes itself under this lock before it ends, so each entry is a living thread.
            for (ticket, thread) in state.closing where ticket <= last { pthread_kill(thread, Self.wakening) }
            return state.isWaking
        }
    }
}
