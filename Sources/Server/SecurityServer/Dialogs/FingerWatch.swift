import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import SystemCalls

/// Waits for a finger while a dialog is shown, on a thread of its own.
final class FingerWatch: Sendable {
    /// The result of the wait.
    enum Outcome: Sendable {
        case nothing
        case report(MatchReport)
        case failure(KeychainError)
    }

    private struct State {
        var isStarted = false
        var isOver = false
        var outcome = Outcome.nothing
    }

    private let matching: any FingerMatching
    private let goesOn: Bool
    private let whenOver: @Sendable () -> Void
    private let stopping = MatchCancellation()
    private let state = Monitor(State())

    /// Makes a watch that has not started.
    ///
    /// - Parameters:
    ///   - goesOn: whether the dialog stays after a wrong finger or a failure of the reader.
    ///   - whenOver: ends the dialog, since there is a result.
    init(_ matching: any FingerMatching, goesOn: Bool, whenOver: @escaping @Sendable () -> Void) {
        self.matching = matching
        self.goesOn = goesOn
        self.whenOver = whenOver
    }

    /// Starts the wait, unless it has started.
    ///
    /// Call it once the dialog, which says what the finger is for, is shown.
    func start() {
        let isFirst = state.withLock { state in
            defer { state.isStarted = true }
            return !state.isStarted
        }
        guard isFirst else { return }
        let isRunning = Worker.start { [self] in
            run()
            state.withLock { $0.isOver = true }
            state.broadcast()
        }
        guard !isRunning else { return }
        if !goesOn { finish(.failure(KeychainError(.notAvailable, "no thread is left to wait for a finger"))) }
        state.withLock { $0.isOver = true }
    }

    /// Ends the wait and returns its result.
    ///
    /// Nothing is under way after the call.
    func stop() -> Outcome {
        stopping.stop()
        return state.wait { $0.isStarted && !$0.isOver ? .nothing() : .answer($0.outcome) }
    }

    private func run() {
        while !stopping.isStopped {
            do throws(KeychainError) {
                let report = try matching.match(until: stopping)
                switch report.outcome {
                case .matched: return finish(.report(report))
                case .withdrawn: return
                case .notMatched where goesOn: continue
                case .notMatched, .lockedOut, .unavailable: return goesOn ? () : finish(.report(report))
                }
            } catch {
                return goesOn ? () : finish(.failure(error))
            }
        }
    }

    private func finish(_ outcome: Outcome) {
        state.withLock { $0.outcome = outcome }
        whenOver()
    }
}
