import Glibc
import Sandbox

/// The state folder to which this process's sandbox is bound.
///
/// The sandbox is bound to the folder itself, not to its name. If another folder replaces it, as from a backup, this
/// process cannot open that. A new process can, and securityd starts one.
struct ConfinedFolder: Sendable {
    private struct Identity: Equatable, Sendable {
        var device: dev_t
        var inode: ino_t

        init?(of path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            (device, inode) = (status.st_dev, status.st_ino)
        }
    }

    private let path: String
    private let identity: Identity?
    let record: SandboxRecord

    /// Enters the sandbox with the folder at `path`, which is made if it does not exist.
    init(_ path: String) {
        self.path = path
        // The sandbox forbids making it later. If this fails, opening the store reports why.
        _ = mkdir(path, 0o700)
        identity = Identity(of: path)
        record = Confinement.custodian(stateFolder: path).apply()
    }

    /// Whether the same folder is still at its path.
    var isInPlace: Bool { Identity(of: path) == identity }
}
