import ChatelaineModel
import ChatelaineSystem
import Glibc
import ServerIPC

/// A worker, as its starter knows it.
struct WorkerHandle: Sendable {
    let pid: UInt32
    /// The channel to the worker, which the caller closes.
    let channel: Int32
    /// The number of the fork server that forked the worker.
    let generation: UInt64
}

/// Starts processes that answer one question each, and ends them.
protocol WorkerStarting: Sendable {
    func start() throws(KeychainError) -> WorkerHandle

    /// Ends a started process, whatever it does.
    ///
    /// - Parameter failed: whether it gave no answer.
    func end(_ worker: WorkerHandle, failed: Bool)
}

/// Runs a program that forks a worker for each question (``ForkServer``): trustd or formatd.
///
/// All workers of a process share the memory layout that a fork inherits. So a process of which a worker failed forks
/// no more, and the next one has another layout. An attacker who takes workers over by guesses has to begin anew with
/// each process.
final class ForkServerSupervisor: WorkerStarting {
    /// Seconds that an order may take.
    ///
    /// The first one waits until the program has loaded.
    static let patience = 10

    private struct Running: Sendable {
        let pid: pid_t
        let server: ForkServerClient
        var workers = 0
        /// Whether this process forks no more.
        ///
        /// It ends with the last of its workers.
        var isRetired = false
    }

    private struct State: Sendable {
        var generation: UInt64 = 0
        var running: [UInt64: Running] = [:]
    }

    private let starter: any ProcessStarting
    private let program: String
    // A fork takes less than a millisecond, so callers wait for each other.
    private let state = AdaptiveMutex(State())

    /// - Parameter program: the program and what it does, for errors.
    init(_ starter: any ProcessStarting, of program: String) { (self.starter, self.program) = (starter, program) }

    func start() throws(KeychainError) -> WorkerHandle {
        let result = state.withLock { state -> Result<WorkerHandle, KeychainError> in
            do throws(KeychainError) { return .success(try start(&state)) } catch { return .failure(error) }
        }
        return try result.get()
    }

    func end(_ worker: WorkerHandle, failed: Bool) {
        state.withLock { state in
            guard var running = state.running[worker.generation] else { return }
            running.workers -= 1
            if !running.server.end(worker.pid) || failed { running.isRetired = true }
            keep(running, worker.generation, &state)
        }
    }

    private func start(_ state: inout State) throws(KeychainError) -> WorkerHandle {
        // A process that died unnoticed is replaced once. If the next one forks nothing either, the call fails.
        for _ in 0..<2 {
            var running: Running
            if let known = state.running[state.generation], !known.isRetired {
                running = known
            } else {
                running = try run()
                state.generation += 1
            }
            if case .worker(let pid, let channel) = running.server.start() {
                running.workers += 1
                state.running[state.generation] = running
                return WorkerHandle(pid: pid, channel: channel, generation: state.generation)
            }
            running.isRetired = true
            keep(running, state.generation, &state)
        }
        throw KeychainError(.notAvailable, "\(program), starts no process for a question")
    }

    /// Stores the process, or ends it where it is retired and has no worker left.
    private func keep(_ running: Running, _ generation: UInt64, _ state: inout State) {
        guard running.isRetired, running.workers == 0 else {
            state.running[generation] = running
            return
        }
        state.running[generation] = nil
        starter.end(running.pid)
    }

    private func run() throws(KeychainError) -> Running {
        var pair: SocketPair
        do throws(Errno) { pair = try SocketPair() } catch { throw KeychainError(system: error.code, "a socket pair") }
        let server = ForkServerClient(descriptor: pair.takeOurs(), patience: Self.patience)
        return Running(pid: try starter.start(channel: pair.theirs.number), server: server)
    }
}
