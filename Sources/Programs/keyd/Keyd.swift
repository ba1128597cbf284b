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

/// The process that starts those that calculate with private keys of the keychain, at the key custodian's word.
///
/// securityd's helper starts it together with enclaved, and gives each an end of a channel that nobody else has. It loads libcrypto, shuts itself in
/// and forks a worker for each key that is calculated with at one time. So no worker has to load anything, and one that ends is its own loss.
@main
enum Keyd {
    private static let program = WorkerProgram("keyd", version: KeyWorkerWire.version, DaemonOption.keyd, .keyWorker)
    private static let log = Log(program: "keyd")

    static func main() {
        guard program.begin({ FreedMemory.startAgainIfNeeded() }) else { return }
        // Whoever wants a key used hears why there is none.
        do throws(KeychainError) { try KeyWork.prepare() } catch { log.error(error.reason) }
        let confinement = WorkerConfinement(over: Confinement.forkServer().apply())
        // Those that work, and as many that were killed and are not gone yet.
        var workers = ForkedWorkers("keyd-worker", most: 2 * KeyWorkerWire.maximumWorkers)
        ForkServer(
            descriptor: WorkerProgram.channel, start: { workers.start { work($0, confinement) } },
            end: { workers.end($0) },
            close: { close($0) }
        ).serve()
        workers.endAll()
    }

    private static func work(_ channel: Int32, _ confinement: WorkerConfinement) {
        // A forked process has inherited no locked page.
        SecretArena.lockPages()
        _ = confinement.apply()
        KeyWorkerChannel(descriptor: channel).serve()
    }
}
