import ChatelaineSystem
import Glibc

/// Whether this kernel's pidfds tell processes apart.
///
/// Since Linux 6.9 each process has its own inode in pidfs, which stays through exec and is not used again. Before, all
/// pidfds shared the inode of anonymous files. The file system's number shows which is the case, so nothing has to be
/// forked to compare.
package struct PidfdSupport: Sendable, Equatable {
    /// `PID_FS_MAGIC`: "PIDF".
    static let pidFileSystem: UInt64 = 0x5049_4446

    /// Whether equal inodes mean the same process, and different inodes different processes.
    let hasUniqueInodes: Bool

    /// The support of the running kernel, looked up once.
    package static let current = PidfdSupport(.system)

    init(_ system: IdentitySystemCalls) {
        do throws(Errno) {
            let own = try system.processes.pidfd(of: getpid())
            hasUniqueInodes = try system.files.fileSystem(of: own.number) == Self.pidFileSystem
        } catch { hasUniqueInodes = false }
    }

    init(hasUniqueInodes: Bool) { self.hasUniqueInodes = hasUniqueInodes }
}
