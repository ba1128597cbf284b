import ChatelaineSystem
import Glibc
import SystemCalls

/// One process for as long as a connection lasts, never another process that was given its number later.
///
/// The handle holds the folder `/proc/PID` open. Such a descriptor belongs to the process, not to the number: once the
/// process has ended, every look through it fails. The folder is the right one because the process behind the pidfd was
/// still alive *after* the folder was opened.
///
/// Without pidfds that tell processes apart (``PidfdSupport``) the handle is ``isDegraded``. A message then counts as
/// sent by this process if it carries its pid and the process is still alive. The number cannot have been another's
/// when that message was sent. The first message remains uncertain, because its sender may have ended before the look.
package final class ProcessHandle: Sendable {
    package let pid: pid_t
    package let uid: uid_t
    package let gid: gid_t
    /// Whether the kernel does not vouch for the sender of each message.
    let isDegraded: Bool

    let system: IdentitySystemCalls
    /// An `O_PATH` descriptor of `/proc/PID`.
    let folder: Descriptor
    /// The pidfd; its number is -1 if the kernel gave none.
    private let pidfd: Descriptor
    private let key: FileKey?
    /// Field 22 of `/proc/PID/stat`, in clock ticks since the machine started.
    ///
    /// Nil if the kernel vouches for each message: a process that executes something can delay the answer, so it is
    /// read only where it is needed.
    private let startTime: UInt64?

    /// Makes the handle of the process that sent a message.
    ///
    /// - Parameters:
    ///   - pidfd: from `SCM_PIDFD`, or -1 where the kernel gave none. The handle owns it from here on, and closes it
    ///     even when this throws.
    ///   - pid: from `SCM_CREDENTIALS` of the same message, as `uid` and `gid` are.
    ///   - procReader: looks at the process; nil where the daemon may do so itself.
    /// - Throws: ``Unidentified`` with `.ended`, `.foreignNamespace`, or `.unreadable` when pidfd and pid disagree or
    ///   `/proc` cannot be read.
    package convenience init(
        adopting pidfd: Int32, pid: pid_t, uid: uid_t, gid: gid_t, procReader: (any ProcReader)? = nil
    ) throws(Unidentified) {
        try self.init(
            adopting: pidfd, pid: pid, uid: uid, gid: gid, support: .current, system: .seen(by: procReader))
    }

    init(
        adopting number: Int32, pid: pid_t, uid: uid_t, gid: gid_t, support: PidfdSupport, system: IdentitySystemCalls
    ) throws(Unidentified) {
        let pidfd = Descriptor(number)
        // The kernel gives zero for a process that has no number in this PID namespace.
        guard pid > 0 else {
            throw Unidentified(.foreignNamespace, "the calling process belongs to a PID namespace that cannot be seen")
        }
        do throws(Errno) {
            let folder = try system.files.open("/proc/\(pid)", in: AT_FDCWD, .look)
            if number >= 0 {
                guard try ProcessFacts.pid(ofPidfd: number, system: system) == pid else {
                    throw try system.processes.hasEnded(pidfd: number) ? .noProcess : Errno(EBADF)
                }
                guard try !system.processes.hasEnded(pidfd: number) else { throw .noProcess }
                key = support.hasUniqueInodes ? try system.files.status(of: number).key : nil
            } else {
                key = nil
            }
            startTime = key == nil ? try ProcessFacts.startTime(in: folder.number, system: system) : nil
            self.folder = folder
        } catch {
            throw ProcessHandle.unidentified(pid: pid, error)
        }
        self.pidfd = pidfd
        self.pid = pid
        self.uid = uid
        self.gid = gid
        self.system = system
        isDegraded = key == nil
    }

    /// Whether a later message came from this process.
    ///
    /// The caller keeps the descriptor. Costs one `fstat`; in degraded mode one read of `/proc/PID/stat`.
    package func isSameProcess(pidfd: Int32, pid: pid_t) -> Bool {
        guard pid == self.pid else { return false }
        if let key {
            guard pidfd >= 0 else { return false }
            return (try? system.files.fstat(pidfd).key) == key
        }
        return hasStartedThen
    }

    private var hasStartedThen: Bool {
        guard let startTime else { return false }
        return (try? ProcessFacts.startTime(in: folder.number, system: system)) == startTime
    }

    /// Whether the process is still running.
    package var isAlive: Bool {
        if pidfd.number >= 0 { return (try? system.processes.hasEnded(pidfd: pidfd.number)) == false }
        return hasStartedThen
    }

    /// A descriptor that becomes readable when the process has ended; -1 if the kernel gave none.
    ///
    /// The handle keeps it.
    package var endDescriptor: Int32 { pidfd.number }

    private static func unidentified(pid: pid_t, _ error: Errno) -> Unidentified {
        switch error {
        case .notFound, .noProcess:
            Unidentified(.ended, "the calling process \(pid) ended before it could be identified")
        default:
            Unidentified(.unreadable, "the calling process \(pid) cannot be looked at in /proc: \(error)")
        }
    }
}
