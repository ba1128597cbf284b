import CChatelaine
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

/// The process that starts those that calculate with private keys of the keychain, at the key custodian's word.
///
/// securityd's helper starts it together with enclaved, and gives each an end of a channel that nobody else has. It loads libcrypto, shuts itself in
/// and forks a worker for each key that is calculated with at one time. So no worker has to load anything, and one that ends is its own loss.
@main
enum Keyd {
    /// Where the channel to enclaved is, and in a worker its own.
    private static let channel: Int32 = 3
    private static let usageStatus: Int32 = 2
    private static let log = Log(program: "keyd")

    static func main() {
        do throws(KeychainError) {
            guard try mayStart(CommandLine.arguments.dropFirst()) else { return }
            _ = ClosedEnvironment.apply()
            FreedMemory.startAgainIfNeeded()
            try harden()
        } catch {
            log.error(error.reason)
            exit(error.status == .param ? usageStatus : 1)
        }
        // Whoever wants a key used hears why there is none.
        do throws(KeychainError) { try KeyWork.prepare() } catch { log.error(error.reason) }
        let confinement = WorkerConfinement(over: Confinement.forkServer().apply())
        // Those that work, and as many that were killed and are not gone yet.
        var workers = ForkedWorkers("keyd-worker", most: 2 * KeyWorkerWire.maximumWorkers)
        ForkServer(
            descriptor: channel, start: { workers.start { work($0, confinement) } }, end: { workers.end($0) },
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

    /// False where something was printed instead.
    private static func mayStart(_ words: some Sequence<String>) throws(KeychainError) -> Bool {
        for word in words {
            switch word {
            case DaemonOption.version.name: print("keyd (Chatelaine), protocol \(KeyWorkerWire.version)")
            case DaemonOption.help.name: print(DaemonOption.usage(of: "keyd", DaemonOption.keyd), terminator: "")
            default: throw KeychainError(.param, "an argument is not understood; see keyd --help")
            }
            return false
        }
        return true
    }

    private static func harden() throws(KeychainError) {
        var status = stat()
        guard fstat(channel, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else {
            throw KeychainError(.param, "securityd starts keyd with a channel to enclaved, and nobody else does")
        }
        CrashHandlers.remove()
        guard chatelaine_end_with_parent() == 0 else {
            throw KeychainError(system: errno, "asking to end with the parent")
        }
        guard fcntl(channel, F_SETFD, FD_CLOEXEC) >= 0, chatelaine_reserve_standard_descriptors() >= 0 else {
            throw KeychainError(system: errno, "the descriptors of keyd")
        }
        chatelaine_close_from(channel + 1)
        if let failure = ProcessHardening.apply(.keyWorker).first { throw KeychainError(.notAvailable, failure) }
    }
}
