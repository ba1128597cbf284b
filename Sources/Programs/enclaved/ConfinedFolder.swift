import Glibc
import Sandbox

/// The state folder that this process was shut in with.
///
/// What it may open is bound to the folder itself, not to its name. When another one is put in its place, as from a backup,
/// this process could not open it; a new one can, and securityd starts it.
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

    /// Shuts this process in with the folder at `path`, which is made where there is none.
    init(_ path: String) {
        self.path = path
        // Later it could not be made. Where it cannot be made now, opening the store says why.
        _ = mkdir(path, 0o700)
        identity = Identity(of: path)
        record = Confinement.custodian(stateFolder: path).apply()
    }

    /// Whether it still stands at its place.
    var isInPlace: Bool { Identity(of: path) == identity }
}
