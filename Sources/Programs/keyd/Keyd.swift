import ChatelaineMemory
import ChatelaineModel
import ChatelaineSystem
import DaemonOptions
import EnclaveProtocol
import Glibc
import KeyWorker
import Sandbox
import ServerIPC
import SystemCalls
import WorkerPrograms

/// Forks the workers that calculate with private keys of the keychain, on the orders of the key custodian.
///
/// securityd's helper starts it together with enclaved, and gives each of the two one end of a channel. It loads
/// libcrypto, enters its sandbox and forks a worker for each key that is in use at one time. So no worker has to load
/// anything, and a worker that crashes affects no other.
@main
enum Keyd {
    private static let program = WorkerProgram("keyd", version: KeyWorkerWire.version, DaemonOption.keyd, .keyWorker)
    private static let log = Log(program: "keyd")

    static func main() {
        guard program.begin({ FreedMemory.startAgainIfNeeded() }) else { return }
        // Without libcrypto the process still serves; a caller that uses a key then gets the reason.
        do throws(KeychainError) { try KeyWork.prepare() } catch { log.error(error.reason) }
        let confinement = WorkerConfinement(over: Confinement.forkServer().apply())
        // The workers in use, and as many that were killed and are not yet gone.
        var workers = ForkedWorkers("keyd-worker", most: 2 * KeyWorkerWire.maximumWorkers)
        ForkServer(
            descriptor: WorkerProgram.channel, start: { workers.start { work($0, confinement) } },
            end: { workers.end($0) },
            close: { close($0) }
        ).serve()
        workers.endAll()
    }

    private static func work(_ channel: Int32, _ confinement: WorkerConfinement) {
        // A forked process does not inherit locked pages.
        SecretArena.lockPages()
        _ = confinement.apply()
        KeyWorkerChannel(descriptor: channel).serve()
    }
}
