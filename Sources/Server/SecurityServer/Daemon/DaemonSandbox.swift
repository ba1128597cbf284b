import ChatelaineIPC
import Glibc
import Sandbox
import ChatelaineSystem
import SystemCalls

/// securityd's sandbox, from the moment at which it is shut in.
struct DaemonSandbox: Sendable {
    let helpers: Helpers
    private let record: SandboxRecord
    /// The folders that it may write to: each itself, not whatever stands at its path.
    private let folders: [String: FileIdentity?]

    /// Shuts this process in; call it when all that it cannot open later is open, and while there is one thread.
    init(
        _ deployment: Deployment, _ machine: MachineKeychains, _ manager: ServiceManager, _ helpers: Helpers, _ log: Log
    ) {
        self.helpers = helpers
        let paths = [deployment.dataFolder, deployment.stateFolder, deployment.runtimeFolder]
        folders = Dictionary(paths.map { ($0, FileIdentity(at: $0)) }) { first, _ in first }
        // What SQLite does not keep in memory stays among our files.
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

    /// Whether the folders that it may write to are still those at their paths.
    var isInPlace: Bool { folders.allSatisfy { FileIdentity(at: $0.key) == $0.value } }

    var states: [SandboxState] {
        record.states + [
            SandboxState(
                "helpers", helpers.areConfined ? .on : record.isComplete ? .off : .impossible,
                helpers.areConfined ? "" : "a helper could not shut itself in completely")
        ]
    }
}
