import ChatelaineModel
import ChatelaineSystem
import Glibc

/// The namespaces in which paths mean what the daemon sees: one user namespace, one mount namespace, one root folder.
///
/// A caller in another namespace can bind any file over any path, so the path of its executable proves nothing.
package struct ReferenceNamespaces: Sendable, Equatable {
    let user: FileKey
    let mount: FileKey
    let root: FileKey

    /// The daemon's own namespaces: the reference in user mode.
    ///
    /// - Throws: `errSecNotAvailable` when `/proc` is not mounted.
    package static func own() throws(KeychainError) -> ReferenceNamespaces {
        let system = IdentitySystemCalls.system
        do throws(Errno) {
            let folder = try system.files.open("/proc/self", in: AT_FDCWD, .lookThrough)
            return try ReferenceNamespaces(in: folder.number, system: system)
        } catch {
            throw KeychainError(system: error.code, "looking at the namespaces", "/proc/self")
        }
    }

    /// The namespaces of the process whose `/proc` folder is `folder`.
    init(in folder: Int32, system: IdentitySystemCalls) throws(Errno) {
        user = try system.files.status(at: "ns/user", in: folder).key
        mount = try system.files.status(at: "ns/mnt", in: folder).key
        root = try system.files.status(at: "root", in: folder).key
    }

    init(user: FileKey, mount: FileKey, root: FileKey) {
        self.user = user
        self.mount = mount
        self.root = root
    }

    /// The name of the first of the three that differs, or nil if none does.
    func difference(from other: ReferenceNamespaces) -> String? {
        if user != other.user { return "user namespace" }
        if mount != other.mount { return "mount namespace" }
        return root != other.root ? "root folder" : nil
    }
}
