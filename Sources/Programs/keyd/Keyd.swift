import ChatelaineMemory
import ChatelaineModel
import DaemonOptions
import EnclaveProtocol
import KeyWorker
import Sandbox
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
        program.forkWorkers(
            // The workers in use, and as many that were killed and are not yet gone.
            most: 2 * KeyWorkerWire.maximumWorkers,
            // A forked process does not inherit locked pages. Without them it works as well.
            limiting: {
                SecretArena.lockPages()
                return true
            },
            { KeyWorkerChannel(descriptor: $0).serve() })
    }
}
