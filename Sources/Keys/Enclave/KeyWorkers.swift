import ChatelaineIPC
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import Glibc
import ServerIPC

/// Calculates with private keys for the custodian.
package protocol KeyCalculating: Sendable {
    /// - Parameter lockings: the value of ``lockings`` from before the row key was opened.
    /// - Throws: `errSecNotAvailable` if no worker is free, the worker ended or took too long, or there are no workers.
    func calculate(_ request: KeyWorkerRequest, since lockings: Int) throws(KeychainError) -> KeyWorkerReply

    /// The number of times that something was locked.
    var lockings: Int { get }

    /// Makes all workers forget keys that were used, because something was locked.
    ///
    /// A key in use is forgotten at the end of its request.
    func forgetKeys()
}

/// A custodian without workers.
package struct NoKeyWorkers: KeyCalculating {
    package init() {}

    package func calculate(_: KeyWorkerRequest, since _: Int) throws(KeychainError) -> KeyWorkerReply {
        throw KeychainError(.notAvailable, "this key custodian was started without keyd, which calculates with keys")
    }

    package var lockings: Int { 0 }
    package func forgetKeys() {}
}

/// The workers of keyd.
///
/// Each handles one request at a time, and rests between two. A worker that ends or takes too long is killed. Only its
/// request fails, and the next request gets another worker. So a key that crashes libcrypto affects no other request.
/// The custodian need not end either, which would lock the keychain.
package final class KeyWorkers: KeyCalculating {
    // `@unchecked Sendable`: only the caller that took a worker out of the list uses the worker's channel.
    private struct Worker: @unchecked Sendable {
        let pid: UInt32
        let channel: FrameChannel
        /// The number of lockings before the key of its request was opened.
        var lockings = 0
    }

    private struct State {
        let starter: ForkServerClient
        var resting: [Worker] = []
        var working = 0
        var making = 0
        var lockings = 0

        mutating func giveOut(_ worker: Worker, _ makes: Bool) -> Worker {
            working += 1
            if makes { making += 1 }
            return worker
        }
    }

    private let state: AdaptiveMutex<State>
    private let whenLost: @Sendable () -> Void

    /// Takes ownership of `channel`, which leads to keyd.
    ///
    /// - Parameter whenLost: runs when keyd is gone and no key can be used any more.
    package init(channel: Int32, whenLost: @escaping @Sendable () -> Void) {
        state = AdaptiveMutex(
            State(starter: ForkServerClient(descriptor: channel, patience: KeyWorkerWire.patienceSeconds)))
        self.whenLost = whenLost
    }

    package func calculate(
        _ request: KeyWorkerRequest, since lockings: Int
    ) throws(KeychainError) -> KeyWorkerReply {
        let makes = request.makesRSA
        var worker = try take(makes: makes)
        worker.lockings = lockings
        worker.channel.setDeadline(seconds: makes ? KeyWorkerWire.makingSeconds : KeyWorkerWire.patienceSeconds)
        do {
            try worker.channel.send { request.encode(to: &$0) }
            let reply = try worker.channel.withFrame(limit: KeyWorkerWire.maximumFrameBytes) { frame, descriptors in
                guard descriptors.count == 0 else { throw FrameError.unexpected }
                return try KeyWorkerReply(frame: frame)
            }
            giveBack(worker, makes: makes)
            return reply
        } catch {
            end(worker, makes: makes)
            throw Self.unavailable("the process that calculates with keys ended or took too long; nothing was changed")
        }
    }

    private func take(makes: Bool) throws(KeychainError) -> Worker {
        let (taken, isThere) = state.withLock { state -> (Result<Worker, KeychainError>, Bool) in
            guard state.working < KeyWorkerWire.maximumWorkers, !makes || state.making < KeyWorkerWire.maximumMakers
            else {
                return (.failure(Self.unavailable("too many keys are calculated with at once; try again")), true)
            }
            while let worker = state.resting.popLast() {
                // One that has ended, or speaks unasked, is useless.
                guard worker.channel.hasInput() else { return (.success(state.giveOut(worker, makes)), true) }
                _ = state.starter.end(worker.pid)
            }
            // Forking under this lock is acceptable, because it takes less than a millisecond.
            switch state.starter.start() {
            case .worker(let pid, let channel):
                let worker = Worker(pid: pid, channel: FrameChannel(descriptor: channel))
                return (.success(state.giveOut(worker, makes)), true)
            case .none:
                return (.failure(Self.unavailable("the system has no process left for a key; try again")), true)
            case .gone:
                return (.failure(Self.unavailable("keyd, which calculates with keys, has ended")), false)
            }
        }
        if !isThere { whenLost() }
        return try taken.get()
    }

    private static func unavailable(_ reason: String) -> KeychainError { KeychainError(.notAvailable, reason) }

    package var lockings: Int { state.withLock { $0.lockings } }

    /// A worker may keep a key for the next request that uses it (`RecentKey`), so the resting workers are ended.
    package func forgetKeys() {
        let areEnded = state.withLock { state in
            state.lockings += 1
            defer { state.resting = [] }
            return state.resting.allSatisfy { state.starter.end($0.pid) }
        }
        if !areEnded { whenLost() }
    }

    private func giveBack(_ worker: Worker, makes: Bool) {
        finish(worker, makes: makes) { state in
            guard worker.lockings == state.lockings else { return state.starter.end(worker.pid) }
            state.resting.append(worker)
            return true
        }
    }

    private func end(_ worker: Worker, makes: Bool) {
        finish(worker, makes: makes) { $0.starter.end(worker.pid) }
    }

    /// - Parameter body: decides what happens to the worker; returns false if keyd is gone.
    private func finish(_ worker: Worker, makes: Bool, _ body: (inout State) -> Bool) {
        let isThere = state.withLock { state in
            state.working -= 1
            if makes { state.making -= 1 }
            return body(&state)
        }
        if !isThere { whenLost() }
    }
}

extension KeyWorkerRequest {
    /// Whether the request may have to find large primes, which takes minutes.
    fileprivate var makesRSA: Bool {
        if case .make(.generated(.rsa, _), _, _) = self { true } else { false }
    }
}
