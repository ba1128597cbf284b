import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import Glibc

/// One question on its way to a person and back, for which the thread of a connection waits.
final class PersonInquiry: Sendable {
    private enum State {
        case open(whenWithdrawn: @Sendable () -> Void)
        case answered(PersonAnswer)
        case withdrawn
    }

    let question: PersonQuestion
    private let state = AdaptiveMutex(State.open(whenWithdrawn: {}))
    /// The answer shuts its other end down, so that one poll(2) sees the answer and the end of the connection.
    private let bell: SocketPair
    private let settlement = Monitor(Settlement())

    /// What happens once the request has done what the answer says.
    private struct Settlement {
        var isOver = false
        var tell: @Sendable () -> Void = {}
        /// Whether `tell` was taken to be run.
        var isTold = false
    }

    init(_ question: PersonQuestion) throws(KeychainError) {
        do throws(Errno) { bell = try SocketPair() } catch { throw KeychainError(system: error.code, "a socket pair") }
        self.question = question
    }

    /// Gives the answer.
    ///
    /// Only the first answer counts, and none counts after the question was withdrawn.
    func answer(_ answer: PersonAnswer) {
        let isFirst = state.withLock { state in
            guard case .open = state else { return false }
            state = .answered(answer)
            return true
        }
        if isFirst { shutdown(bell.theirs.number, Int32(SHUT_RDWR)) }
    }

    /// Whether somebody still waits for an answer.
    var isOpen: Bool {
        state.withLock { if case .open = $0 { true } else { false } }
    }

    /// Whether the question was withdrawn because the caller is gone.
    var isWithdrawn: Bool {
        state.withLock { if case .withdrawn = $0 { true } else { false } }
    }

    /// Runs `body` once the question is withdrawn, or at once where it already is.
    func whenWithdrawn(_ body: @escaping @Sendable () -> Void) {
        let isWithdrawn = state.withLock { state in
            if case .open = state { state = .open(whenWithdrawn: body) }
            if case .withdrawn = state { return true }
            return false
        }
        if isWithdrawn { body() }
    }

    /// Waits for the answer; nil where the connection on `socket` or the caller ends first, which withdraws the
    /// question.
    ///
    /// The connection alone does not show the end of a caller whose child process has the socket, too.
    ///
    /// - Parameter process: a descriptor that becomes readable when the caller has ended; -1 where there is none.
    func wait(orEndOf socket: Int32, _ process: Int32 = -1) -> PersonAnswer? {
        // poll(2) passes over a negative number.
        var watched = [
            pollfd(fd: bell.ours.number, events: Int16(POLLIN), revents: 0), pollfd(fd: socket, events: 0, revents: 0),
            pollfd(fd: process, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            if case .answered(let answer) = state.withLock({ $0 }) { return answer }
            // poll(2) always reports an ended connection (POLLHUP). What the client sends stays in the socket.
            // SAFETY: the call reads and writes as many elements as it is told there are.
            let count = poll(&watched, nfds_t(watched.count), -1)
            guard count > 0 || errno == EINTR, watched[1].revents == 0, watched[2].revents == 0 else {
                withdraw()
                return nil
            }
        }
    }

    /// Notes that the request has done what the answer says, or is gone.
    func noteSettlement() {
        let tell = settlement.withLock { settlement in
            settlement.isTold = true
            return settlement.tell
        }
        tell()
        settlement.withLock { $0.isOver = true }
        settlement.broadcast()
    }

    /// Sets `body` to run as soon as the request has done what the answer says; to be called before the answer.
    ///
    /// It runs at once where the request is gone already.
    func whenSettled(_ body: @escaping @Sendable () -> Void) {
        let isLate = settlement.withLock { settlement in
            settlement.tell = body
            return settlement.isTold
        }
        if isLate { body() }
    }

    /// Waits until the request has done what the answer says, and until that was told.
    ///
    /// - Parameter milliseconds: how long at the most.
    func awaitSettlement(milliseconds: Int) {
        let end = MonotonicClock.coarseMilliseconds + Int64(milliseconds)
        settlement.wait { settlement -> Awaited<Void> in
            let rest = end - MonotonicClock.coarseMilliseconds
            return settlement.isOver || rest <= 0 ? .answer(()) : .nothing(milliseconds: Int(rest))
        }
    }

    /// Withdraws the question.
    ///
    /// An answer counts for nothing now, whether it came before or comes later.
    private func withdraw() {
        let former = state.withLock { state in
            let former = state
            if case .open = state { state = .withdrawn }
            return former
        }
        if case .open(let tell) = former { tell() }
    }
}
