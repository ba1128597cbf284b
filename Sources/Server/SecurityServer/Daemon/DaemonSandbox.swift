import ChatelaineIPC
import ChatelaineSystem
import Glibc
import Sandbox
import SystemCalls

/// The sandbox of securityd, and the helpers that work outside it.
struct DaemonSandbox: Sendable {
    let helpers: Helpers
    private let record: SandboxRecord
    /// The folders that securityd may write to.
    ///
    /// The sandbox admits each folder itself, not whatever stands at its path later.
    private let folders: [String: FileIdentity?]
    private let homes: [String]

    /// Confines this process.
    ///
    /// Call it while there is one thread, after everything is open that cannot be opened later.
    init(
        _ deployment: Deployment, _ machine: MachineKeychains, _ manager: ServiceManager, _ helpers: Helpers, _ log: Log
    ) {
        self.helpers = helpers
        homes = [deployment.dataFolder, deployment.stateFolder]
        let paths = homes + [deployment.runtimeFolder]
        folders = Dictionary(paths.map { ($0, FileIdentity(at: $0)) }) { first, _ in first }
        // Temporary files of SQLite stay among securityd's own files.
        setenv("SQLITE_TMPDIR", deployment.dataFolder, 1)
        _ = ProcessHardening.giveUpCapabilities(.daemon)
        let published = machine.makeFolders()
        record =
            Confinement.daemon(
                folders: paths + published, publishes: !published.isEmpty,
                reachesAbstractSockets: manager.isNotifiedAbstractly
            ).apply()
        helpers.watch {
            log.error("securityd ends: one of its helpers is gone")
            exit(1)
        }
    }

    /// Whether the folders that securityd may write to are still those at their paths.
    var isInPlace: Bool { folders.allSatisfy { FileIdentity(at: $0.key) == $0.value } }

    /// Whether nothing is left where data and state were: their home was moved as a whole.
    var isMoved: Bool { homes.allSatisfy { FileIdentity(at: $0) == nil } }

    var states: [SandboxState] {
        record.states + [
            SandboxState(
                "helpers", helpers.areConfined ? .on : record.isComplete ? .off : .impossible,
                helpers.areConfined ? "" : "a helper could not shut itself in completely")
        ]
    }
}
