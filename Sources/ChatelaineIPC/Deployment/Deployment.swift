import CChatelaine
import Glibc

/// Where this user's Chatelaine lives; client and daemon decide it alike (rulings, 27).
///
/// In user mode the folders are those of the XDG Base Directory Specification, with the key custodian's state apart
/// from the data. `CHATELAINE_HOME` puts all of them below one folder. A program that runs with privileges of its file
/// (AT_SECURE) takes nothing from its environment.
public struct Deployment: Sendable, Equatable {
    public enum Mode: String, Sendable {
        /// A daemon of the user's own, with the user's files.
        case user
        /// One daemon for all, with files out of every user's reach.
        case system
    }

    /// The root-owned file whose presence means system mode.
    public static let systemMarker = "/etc/chatelaine/system-mode"
    /// `sun_path` of unix(7), with its terminating zero.
    static let maximumSocketPath = 108

    public let mode: Mode
    /// Stores of items.
    public let dataFolder: String
    /// securityd's own records, and below it the key custodian's state.
    public let stateFolder: String
    /// Socket and locks.
    public let runtimeFolder: String

    public var socketPath: String { runtimeFolder + "/securityd.sock" }
    public var enclaveFolder: String { stateFolder + "/enclave" }
    public var storeFolder: String { dataFolder + "/stores/default" }

    /// The deployment of this process.
    public static func current(_ environment: ProcessEnvironment = .current) -> Deployment {
        if environment.isSystemMode() {
            return Deployment(
                mode: .system, dataFolder: "/var/lib/chatelaine/data", stateFolder: "/var/lib/chatelaine/state",
                runtimeFolder: "/run/chatelaine")
        }
        if let home = environment.path("CHATELAINE_HOME") {
            return Deployment(
                mode: .user, dataFolder: home + "/data", stateFolder: home + "/state",
                runtimeFolder: shortened(home + "/run", environment))
        }
        let data = environment.path("XDG_DATA_HOME") ?? environment.home + "/.local/share"
        let state = environment.path("XDG_STATE_HOME") ?? environment.home + "/.local/state"
        let runtime = environment.path("XDG_RUNTIME_DIR") ?? "/run/user/\(environment.uid)"
        let folder = runtime + "/chatelaine"
        return Deployment(
            mode: .user, dataFolder: data + "/chatelaine", stateFolder: state + "/chatelaine",
            runtimeFolder: environment.isFolder(runtime)
                ? shortened(folder, environment) : privateFolder(for: folder, environment))
    }

    /// A folder whose socket path fits, which is a private one in /tmp where the wanted one is too long.
    private static func shortened(_ folder: String, _ environment: ProcessEnvironment) -> String {
        (folder + "/securityd.sock").utf8.count < maximumSocketPath ? folder : privateFolder(for: folder, environment)
    }

    /// One folder in /tmp per user and wanted folder; whoever uses it checks that the user owns it.
    private static func privateFolder(for folder: String, _ environment: ProcessEnvironment) -> String {
        // FNV-1a, only to keep folders apart: squatting is prevented by the check of the owner.
        let mixed = folder.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return "/tmp/chatelaine-\(environment.uid)-" + String(mixed, radix: 16)
    }
}
