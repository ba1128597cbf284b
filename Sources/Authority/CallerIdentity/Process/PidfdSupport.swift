import ChatelaineSystem
import Glibc

/// Whether this kernel's pidfds tell processes apart.
///
/// Since Linux 6.9 each process has an inode of its own in pidfs, which stays through exec and is not used again;
/// before, all pidfds shared the inode of anonymous files. The file system's number says which it is, so that nothing
/// has to be forked to compare.
package struct PidfdSupport: Sendable, Equatable {
    /// `PID_FS_MAGIC`: "PIDF".
    static let pidFileSystem: UInt64 = 0x5049_4446

    /// Equal inodes mean the same process, different inodes different ones.
    package let hasUniqueInodes: Bool

    /// What this kernel offers; asked once.
    package static let current = PidfdSupport(.system)

    init(_ system: IdentityCalls) {
        do throws(Errno) {
            let own = try system.processes.pidfd(of: getpid())
            hasUniqueInodes = try system.files.fileSystem(of: own.number) == Self.pidFileSystem
        } catch { hasUniqueInodes = false }
    }

    init(hasUniqueInodes: Bool) { self.hasUniqueInodes = hasUniqueInodes }
}
