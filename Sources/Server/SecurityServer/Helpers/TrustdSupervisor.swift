import CChatelaine
import ChatelaineModel
import ChatelaineSystem
import Glibc
import ServerIPC

/// A worker of trustd, as whoever started it knows it.
struct TrustdHandle: Sendable {
    let pid: UInt32
    /// The caller's.
    let channel: Int32
    /// Of which trustd it is.
    let generation: UInt64
}

/// Starts processes that answer one question each, and ends them.
protocol TrustdStarting: Sendable {
    func start() throws(KeychainError) -> TrustdHandle

    /// Ends one that was started, whatever it does.
    ///
    /// - Parameter failed: whether it gave no answer.
    func end(_ process: TrustdHandle, failed: Bool)
}

/// The trustd that runs, which forks a worker for each question.
///
/// What a fork inherits is all that workers have in common: where things lie in memory. So a trustd of which a worker failed forks no more, and the next one lies
/// elsewhere: whoever tries to take workers over by guesses begins anew with each.
final class TrustdSupervisor: TrustdStarting {
    /// How long an order may take, in seconds. The first one waits until trustd has loaded.
    static let patience = 10

    private struct Running: Sendable {
        let pid: pid_t
        let server: ForkServerClient
        var workers = 0
        /// Whether it forks no more; it ends with the last of its workers.
        var isRetired = false
    }

    private struct State: Sendable {
        var generation: UInt64 = 0
        var running: [UInt64: Running] = [:]
    }

    private let starter: any ProcessStarting
    // A fork takes less than a millisecond: whoever wants one waits for whoever is having one made.
    private let state = AdaptiveMutex(State())

    init(_ starter: any ProcessStarting) { self.starter = starter }

    func start() throws(KeychainError) -> TrustdHandle {
        let result = state.withLock { state -> Result<TrustdHandle, KeychainError> in
            do throws(KeychainError) { return .success(try start(&state)) } catch { return .failure(error) }
        }
        return try result.get()
    }

    func end(_ process: TrustdHandle, failed: Bool) {
        state.withLock { state in
            guard var running = state.running[process.generation] else { return }
            running.workers -= 1
            if !running.server.end(process.pid) || failed { running.isRetired = true }
            keep(running, process.generation, &state)
        }
    }

    private func start(_ state: inout State) throws(KeychainError) -> TrustdHandle {
        // One that died while nobody looked is replaced once; where the next one forks nothing either, that is said.
        for _ in 0..<2 {
            var running: Running
            if let known = state.running[state.generation], !known.isRetired {
                running = known
            } else {
                running = try run()
                state.generation += 1
            }
            if let (pid, channel) = running.server.start() {
                running.workers += 1
                state.running[state.generation] = running
                return TrustdHandle(pid: pid, channel: channel, generation: state.generation)
            }
            running.isRetired = true
            keep(running, state.generation, &state)
        }
        throw KeychainError(
            .notAvailable, "trustd, which looks at certificates and signatures, starts no process for one")
    }

    /// Where it is retired and nobody is at work for it, it ends.
    private func keep(_ running: Running, _ generation: UInt64, _ state: inout State) {
        guard running.isRetired, running.workers == 0 else {
            state.running[generation] = running
            return
        }
        state.running[generation] = nil
        starter.end(running.pid)
    }

    private func run() throws(KeychainError) -> Running {
        var pair: [Int32] = [-1, -1]
        guard chatelaine_unix_socketpair(&pair) == 0 else { throw KeychainError(system: errno, "a socket pair") }
        let server = ForkServerClient(descriptor: pair[0], patience: Self.patience)
        // Were it open here as well, the channel would not tell that the process is gone.
        let theirs = Descriptor(pair[1])
        return Running(pid: try starter.start(channel: theirs.number), server: server)
    }
}
