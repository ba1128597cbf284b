import CChatelaine
import ChatelaineModel
import ChatelaineSystem
import Glibc

/// The folders of this user's Chatelaine; client and daemon decide them by the same code (behaviour/deployment.md, 1).
///
/// In user mode the folders are those of the XDG Base Directory Specification, with the key custodian's state apart
/// from the data. `CHATELAINE_HOME` puts all of them below one folder. A program that runs with privileges from its
/// file (AT_SECURE) takes nothing from its environment.
///
/// An unusable variable of ours is refused and never ignored: a caller that names one keychain must not get another
/// (behaviour/deployment.md, 2).
package struct Deployment: Sendable, Equatable {
    package enum Mode: String, CaseIterable, Sendable {
        /// A daemon of the user's own, with the user's files.
        case user = "user"
        /// One daemon for all, with files out of every user's reach.
        case system = "system"
    }

    /// The root-owned file whose presence means system mode.
    package static let systemMarker = "/etc/chatelaine/system-mode"
    /// PATH_MAX less room for the longest name below the home (a file in a quarantined store) and the terminating zero.
    static let maximumHomePath = 4096 - 256

    package let mode: Mode
    /// The folder of the items' stores.
    package let dataFolder: String
    /// The folder of securityd's own records, and below it of the key custodian's state.
    package let stateFolder: String
    /// The folder of the socket and the locks.
    package let runtimeFolder: String

    /// Where clients look first, and where systemd listens.
    package var socketPath: String { runtimeFolder + "/securityd.sock" }
    /// Where the daemon of a data folder listens that is not the one of the session.
    ///
    /// Its clients find the path in the lock file of that folder.
    package func socketPath(of dataFolder: FileIdentity) -> String {
        "\(runtimeFolder)/securityd-\(dataFolder.device)-\(dataFolder.inode).sock"
    }
    /// The lock of the one daemon of the data folder; the file names the daemon's socket.
    var lockPath: String { dataFolder + "/daemon.lock" }
    package var enclaveFolder: String { stateFolder + "/enclave" }
    /// The store of the default keychain.
    package var storeFolder: String { storeFolder(of: .default) }
    /// The folder of the stores' marks, one file each.
    package var marksFolder: String { stateFolder + "/stores" }

    /// The folder of file keychains that are known by a name.
    package var keychainsFolder: String { dataFolder + "/keychains" }
    /// The folder of what belongs to open file keychains: their other names, logs and snapshots.
    package var openKeychainsFolder: String { dataFolder + "/file-keychains" }
    /// The folder of the marks and headers of file keychains.
    package var keychainMarksFolder: String { stateFolder + "/file-keychains" }

    /// The folder of a keychain's store of items.
    package func storeFolder(of keychain: KeychainName) -> String { "\(dataFolder)/stores/\(keychain)" }

    /// The file that records the last change of a keychain's store. It lies apart from the store.
    package func markFile(of keychain: KeychainName) -> String { "\(marksFolder)/\(keychain).mark" }

    /// The deployment of this process.
    ///
    /// - Throws: `errSecNotAvailable` where a variable cannot be used. The status is not `errSecParam`, since the call
    ///   is not at fault: the keychain that the variable names cannot be reached.
    package static func current(_ environment: ProcessEnvironment = .current) throws(KeychainError) -> Deployment {
        if environment.isSystemMode() {
            return Deployment(
                mode: .system, dataFolder: "/var/lib/chatelaine/data", stateFolder: "/var/lib/chatelaine/state",
                runtimeFolder: "/run/chatelaine")
        }
        _ = try environment.requiredPath("CHATELAINE_LIBEXEC")
        if let home = try environment.requiredPath("CHATELAINE_HOME") {
            return Deployment(
                mode: .user, dataFolder: home + "/data", stateFolder: home + "/state", runtimeFolder: home + "/run")
        }
        for name in ["XDG_DATA_HOME", "XDG_STATE_HOME"] { try environment.requireUTF8(environment.path(name), name) }
        try environment.requireUTF8(environment.home, "the home folder")
        try requireOwnHome(environment)
        let data = environment.path("XDG_DATA_HOME") ?? environment.home + "/.local/share"
        let state = environment.path("XDG_STATE_HOME") ?? environment.home + "/.local/state"
        let runtime = environment.path("XDG_RUNTIME_DIR") ?? "/run/user/\(environment.uid)"
        // Without a session's folder, the socket goes below the user's own state: in /tmp another user could make the
        // folder first.
        return Deployment(
            mode: .user, dataFolder: data + "/chatelaine", stateFolder: state + "/chatelaine",
            runtimeFolder: environment.isOwnFolder(runtime) ? runtime + "/chatelaine" : state + "/chatelaine/run")
    }

    /// Refuses root with the home of another account: folders of root's there would lock that user out.
    ///
    /// A home without such an account, as in the containers of build servers, is root's to use.
    ///
    /// - Throws: `errSecNotAvailable`.
    private static func requireOwnHome(_ environment: ProcessEnvironment) throws(KeychainError) {
        guard ["XDG_DATA_HOME", "XDG_STATE_HOME"].contains(where: { environment.path($0) == nil }),
            let name = environment.strangerAtHome()
        else { return }
        throw KeychainError(
            .notAvailable,
            "this is root, and HOME is \(environment.home), the home of \(name), whom folders of root\u{2019}s there would lock out: use sudo -H or su -, or name a folder by CHATELAINE_HOME"
        )
    }
}
