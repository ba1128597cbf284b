import CChatelaine
import ChatelaineModel
import Glibc

/// Where this user's Chatelaine lives; client and daemon decide it alike (behaviour/deployment.md, 1).
///
/// In user mode the folders are those of the XDG Base Directory Specification, with the key custodian's state apart
/// from the data. `CHATELAINE_HOME` puts all of them below one folder. A program that runs with privileges of its file
/// (AT_SECURE) takes nothing from its environment. A variable of ours that cannot be used is refused, never passed over:
/// who names one keychain must not be given another (behaviour/deployment.md, 2).
package struct Deployment: Sendable, Equatable {
    package enum Mode: String, Sendable {
        /// A daemon of the user's own, with the user's files.
        case user = "user"
        /// One daemon for all, with files out of every user's reach.
        case system = "system"
    }

    /// The root-owned file whose presence means system mode.
    package static let systemMarker = "/etc/chatelaine/system-mode"
    /// PATH_MAX, with room for the longest name below the home (a file in a quarantined store) and its terminating zero.
    static let maximumHomePath = 4096 - 256

    package let mode: Mode
    /// Stores of items.
    package let dataFolder: String
    /// securityd's own records, and below it the key custodian's state.
    package let stateFolder: String
    /// Socket and locks.
    package let runtimeFolder: String
    /// Whether `CHATELAINE_HOME` names its folders, or `HOME` is another than the account's, as tests have it: nothing is made outside of them then.
    package private(set) var isApart = false

    package var socketPath: String { runtimeFolder + "/securityd.sock" }
    /// Held by the one daemon of the data folder, whose socket it names.
    package var lockPath: String { dataFolder + "/daemon.lock" }
    package var enclaveFolder: String { stateFolder + "/enclave" }
    /// The store of the default keychain.
    package var storeFolder: String { storeFolder(of: .default) }
    /// Marks of stores, a file each.
    package var marksFolder: String { stateFolder + "/stores" }

    /// File keychains that have a name and no path.
    package var keychainsFolder: String { dataFolder + "/keychains" }
    /// What there is about file keychains that are open: their other names, logs and snapshots.
    package var openKeychainsFolder: String { dataFolder + "/file-keychains" }
    /// Marks and headers of file keychains.
    package var keychainMarksFolder: String { stateFolder + "/file-keychains" }

    /// Where the items of a keychain are.
    package func storeFolder(of keychain: KeychainName) -> String { "\(dataFolder)/stores/\(keychain)" }

    /// The file that remembers the last change of a keychain's store, apart from what it tells of.
    package func markFile(of keychain: KeychainName) -> String { "\(marksFolder)/\(keychain).mark" }

    /// The deployment of this process.
    ///
    /// Throws `errSecNotAvailable` where a variable cannot be used: it is no fault of the call, so not `errSecParam`; the
    /// keychain that was named is the one that is not to be had.
    package static func current(_ environment: ProcessEnvironment = .current) throws(KeychainError) -> Deployment {
        if environment.isSystemMode() {
            return Deployment(
                mode: .system, dataFolder: "/var/lib/chatelaine/data", stateFolder: "/var/lib/chatelaine/state",
                runtimeFolder: "/run/chatelaine")
        }
        _ = try environment.requiredPath("CHATELAINE_LIBEXEC")
        if let home = try environment.requiredPath("CHATELAINE_HOME") {
            return Deployment(
                mode: .user, dataFolder: home + "/data", stateFolder: home + "/state", runtimeFolder: home + "/run",
                isApart: true)
        }
        let data = environment.path("XDG_DATA_HOME") ?? environment.home + "/.local/share"
        let state = environment.path("XDG_STATE_HOME") ?? environment.home + "/.local/state"
        let runtime = environment.path("XDG_RUNTIME_DIR") ?? "/run/user/\(environment.uid)"
        // Where no session has made one, among what is the user's own: in /tmp another user could make it first.
        return Deployment(
            mode: .user, dataFolder: data + "/chatelaine", stateFolder: state + "/chatelaine",
            runtimeFolder: environment.isFolder(runtime) ? runtime + "/chatelaine" : state + "/chatelaine/run",
            isApart: !environment.isHomeOfAccount)
    }
}
