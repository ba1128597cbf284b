import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import Enclave
import EnclaveProtocol
import Glibc
import ItemStore
import Sealing
import SecurityServer
import ServerIPC
import Synchronization
import SystemCalls

/// enclaved as threads of this process, with the same server and the same messages on the channels.
///
/// One side always waits for the other, so that the order of calls is the same in each run.
final class CustodianThreads: CustodianLauncher {
    private struct Running {
        let server: ChannelServer
        let enclave: Enclave
    }

    /// The running custodian; nil after it was released, so that its threads no longer answer.
    private final class Custody: Sendable {
        let running = Mutex<Running?>(nil)
    }

    let program = "enclaved"
    private let stateFolder: String
    private let settings: EnclaveSettings
    private let custody = Custody()

    init(stateFolder: String, settings: EnclaveSettings) {
        self.stateFolder = stateFolder
        self.settings = settings
    }

    func start(channel: Int32) throws(KeychainError) -> pid_t {
        end()
        // The caller closes its own copy of the descriptor.
        let own = fcntl(channel, F_DUPFD_CLOEXEC, 0)
        guard own >= 0 else { throw KeychainError(system: errno, "a channel") }
        let custody = custody
        let server = ChannelServer(ChannelServer.Surroundings()) { () throws(KeychainError) in
            guard let enclave = custody.running.withLock({ $0?.enclave }) else {
                throw KeychainError(.notAvailable, "the key custodian has ended")
            }
            return enclave
        }
        custody.running.withLock {
            $0 = Running(server: server, enclave: Enclave(stateFolder: stateFolder, settings: settings))
        }
        guard Worker.start({ server.run(first: own) }) else {
            close(own)
            throw KeychainError(.notAvailable, "no thread for the key custodian")
        }
        return getpid()
    }

    /// Sends a request to the running custodian, as over a channel.
    func answer<Request: EnclaveRequest>(
        _ request: Request, passcodes: [SecretBytes]
    ) throws(KeychainError) -> Request.Reply {
        guard let enclave = custody.running.withLock({ $0?.enclave }) else {
            throw KeychainError(.internalComponent, "the custodian does not run")
        }
        return try enclave.answer(request, passcodes: passcodes).get()
    }

    /// Waits for the end of the threads, whose channels are closed by now, and closes the custodian's files.
    func end() {
        guard let server = custody.running.withLock({ $0?.server }) else { return }
        while server.count > 0 { sched_yield() }
        custody.running.withLock { $0 = nil }
    }
}

/// The keys of a daemon that records no mark in the keybag, as before format 3.
struct UnmarkedKeys: KeychainKeySource, ForwardingKeys {
    let keys: EnclaveKeySource

    func noteMark(of store: StoreIdentifier) throws(KeychainError) {}

    func closeStore(_ store: StoreIdentifier) { keys.closeStore(store) }
}
