import CChatelaine
import ChatelaineCryptography
import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import EnclaveProtocol
import Glibc
import Sealing
import ServerIPC
import SystemCalls
import Testing

@testable import Enclave
@testable import KeyWorker

/// The custodian's workers for private keys, with threads of this process in the place of keyd's children.
@Suite struct KeyWorkersTests {
    private struct Unexpected: Error {}

    private let rowKey = SecretBytes([UInt8](repeating: 3, count: 32))

    /// A fork server of the test's own, and the orders that it received.
    private final class FakeKeyd: Sendable {
        struct State: Sendable {
            var started: UInt32 = 0
            var ended: [UInt32] = []
            /// Orders for which there is no process.
            var failing = 0
            /// Descriptors that the kernel does not pass on.
            var refusing = 0
        }

        let state = AdaptiveMutex(State())
        /// The custodian's end.
        let channel: Int32

        init() throws {
            var pair: [Int32] = [-1, -1]
            try #require(chatelaine_unix_socketpair(&pair) == 0)
            channel = pair[0]
            let end = pair[1]
            let isStarted = Worker.start { [self] in
                ForkServer(
                    descriptor: end, start: { self.start() },
                    end: { worker in self.state.withLock { $0.ended.append(worker) } }, close: { close($0) },
                    calls: self.calls
                ).serve()
            }
            try #require(isStarted)
        }

        private var calls: SocketCalls {
            var calls = SocketCalls.system
            let system = SocketCalls.system
            calls.send = { [self] socket, bytes, descriptors in
                let isRefused = state.withLock { state in
                    guard state.refusing > 0, !descriptors.isEmpty else { return false }
                    state.refusing -= 1
                    return true
                }
                return isRefused ? (-1, ETOOMANYREFS) : system.send(socket, bytes, descriptors)
            }
            return calls
        }

        private func start() -> (pid: UInt32, channel: Int32)? {
            var pair: [Int32] = [-1, -1]
            let fails = state.withLock { state in
                guard state.failing > 0 else { return false }
                state.failing -= 1
                return true
            }
            guard !fails, chatelaine_unix_socketpair(&pair) == 0 else { return nil }
            let theirs = pair[1]
            guard Worker.start({ KeyWorkerChannel(descriptor: theirs).serve() }) else { return nil }
            return state.withLock { state in
                state.started += 1
                return (state.started, pair[0])
            }
        }
    }

    /// A request to sign with a new key.
    private func request() throws -> KeyWorkerRequest {
        var row = RowContext.sample(StoreIdentifier())
        (row.itemClass, row.keyCustody) = (.key, .useOnly)
        var recent = RecentKey()
        let making = KeyWorkerRequest.make(.generated(.rsa, bits: 1024), at: row, rowKey: rowKey)
        guard case .made(let sealed, _) = KeyWork.answer(making, &recent) else { throw Unexpected() }
        let digest = [UInt8](repeating: 7, count: 32)
        return .use(
            .sign(algorithm: "algid:sign:RSA:digest-PKCS1v15:SHA256", digest), sealed: sealed, at: row, rowKey: rowKey)
    }

    @Test func workersThatRestEndWhenSomethingIsLocked() throws {
        let keyd = try FakeKeyd()
        let workers = KeyWorkers(channel: keyd.channel) {}
        let request = try request()
        for _ in 0..<2 {
            guard case .result = try workers.calculate(request, since: workers.lockings) else { throw Unexpected() }
        }
        #expect(keyd.state.withLock { $0.started == 1 && $0.ended.isEmpty })
        workers.forgetKeys()
        #expect(keyd.state.withLock { $0.ended } == [1])
        let before = workers.lockings
        guard case .result = try workers.calculate(request, since: before) else { throw Unexpected() }
        #expect(keyd.state.withLock { $0.started == 2 && $0.ended == [1] })
        // A lock came after the request had the row key and before the worker received it.
        workers.forgetKeys()
        guard case .result = try workers.calculate(request, since: before) else { throw Unexpected() }
        #expect(keyd.state.withLock { $0.started == 3 && $0.ended == [1, 2, 3] })
    }

    /// If the custodian ended then, a full machine would lock all keychains.
    @Test func aForkThatFailsFailsItsRequestAlone() throws {
        let keyd = try FakeKeyd()
        let losses = AdaptiveMutex(0)
        let workers = KeyWorkers(channel: keyd.channel) { losses.withLock { $0 += 1 } }
        let request = try request()
        let most = KeyWorkerWire.maximumWorkers
        keyd.state.withLock { $0.failing = most }
        for _ in 0..<most {
            #expect(throws: KeychainError(.notAvailable, "")) { try workers.calculate(request, since: 0) }
        }
        guard case .result = try workers.calculate(request, since: 0) else { throw Unexpected() }
        #expect(losses.withLock { $0 } == 0)
    }

    /// Programs that read no messages would lock all keychains otherwise.
    @Test func aWorkerThatIsNotPassedOnFailsItsRequestAlone() throws {
        let keyd = try FakeKeyd()
        let losses = AdaptiveMutex(0)
        let workers = KeyWorkers(channel: keyd.channel) { losses.withLock { $0 += 1 } }
        let request = try request()
        keyd.state.withLock { $0.refusing = 2 }
        for _ in 0..<2 {
            #expect(throws: KeychainError(.notAvailable, "")) { try workers.calculate(request, since: 0) }
        }
        #expect(keyd.state.withLock { $0.ended } == [1, 2])
        guard case .result = try workers.calculate(request, since: 0) else { throw Unexpected() }
        #expect(losses.withLock { $0 } == 0)
    }

    @Test func theEndOfKeydIsTold() throws {
        var pair: [Int32] = [-1, -1]
        try #require(chatelaine_unix_socketpair(&pair) == 0)
        close(pair[1])
        let losses = AdaptiveMutex(0)
        let workers = KeyWorkers(channel: pair[0]) { losses.withLock { $0 += 1 } }
        let request = try request()
        #expect(throws: KeychainError(.notAvailable, "")) { try workers.calculate(request, since: 0) }
        #expect(losses.withLock { $0 } == 1)
    }
}
