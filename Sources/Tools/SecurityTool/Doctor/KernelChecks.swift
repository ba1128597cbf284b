import CChatelaine
import ChatelaineSystem
import Glibc

/// Checks features of the kernel by using them.
struct KernelChecks {
    func findings() -> [Finding] {
        [release, perMessagePidfd, pidfdInode, memoryTable, memfd, landlock, seccomp]
    }

    private var release: Finding {
        var name = utsname()
        guard uname(&name) == 0 else { return Finding("kernel.release", .degraded, "unknown") }
        // SAFETY: uname ends the text with a zero within the array.
        let text = withUnsafeBytes(of: &name.release) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        return Finding("kernel.release", .ok, "Linux \(text)")
    }

    /// Whether SCM_PIDFD arrives with a message to ourselves.
    private var perMessagePidfd: Finding {
        let name = "kernel.pidfd"
        let remedy = "use Linux 6.5 or newer; until then callers are identified with assurance “degraded”"
        var ends: [Int32] = [-1, -1]
        guard chatelaine_unix_socketpair(&ends) == 0 else {
            return Finding(
                name, .problem, "no socket pair: \(Self.text(errno))", remedy: "raise the limit of open files")
        }
        defer { for end in ends { close(end) } }
        guard chatelaine_pass_pidfd(ends[1]) == 0 else {
            return Finding(name, .degraded, "messages do not say which process sent them", remedy: remedy)
        }
        var byte: UInt8 = 0
        var ancillary = chatelaine_ancillary()
        // SAFETY: both calls are given one byte, and the socket holds it between them.
        let isCarried = chatelaine_send(ends[0], &byte, 1, 1, nil, 0) == 1
        guard isCarried, chatelaine_receive(ends[1], &byte, 1, 1, &ancillary) == 1 else {
            return Finding(name, .degraded, "a message did not arrive: \(Self.text(errno))", remedy: remedy)
        }
        guard ancillary.pidfd >= 0 else {
            return Finding(name, .degraded, "a message came without a pidfd", remedy: remedy)
        }
        close(ancillary.pidfd)
        return Finding(name, .ok, "every message says which process sent it")
    }

    /// Whether two pidfds of one process have the same inode, and those of two processes different ones.
    private var pidfdInode: Finding {
        let name = "kernel.pidfd-inode"
        let own = Self.inode(ofProcess: getpid())
        let again = Self.inode(ofProcess: getpid())
        let other = Self.inode(ofProcess: getpid() == 1 ? getppid() : 1)
        guard let own, let again, own == again, own != other else {
            return Finding(
                name, .degraded, "pidfds cannot be told apart by their inodes", remedy: "use Linux 6.9 or newer")
        }
        return Finding(name, .ok, "pidfds are told apart by their inodes")
    }

    private static func inode(ofProcess pid: pid_t) -> ino_t? {
        let descriptor = chatelaine_pidfd_open(pid)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        return fstat(descriptor, &status) == 0 ? status.st_ino : nil
    }

    /// Whether the kernel has the memory table from which securityd sees that a process executed another program.
    private var memoryTable: Finding {
        var status = stat()
        guard stat("/proc/self/pagemap", &status) == 0 else {
            return Finding(
                "kernel.pagemap", .degraded, "a program that executes another and returns is not noticed",
                remedy: "use a kernel with CONFIG_PROC_PAGE_MONITOR, as those of all distributions are")
        }
        return Finding("kernel.pagemap", .ok, "a program that executes another is noticed")
    }

    private var memfd: Finding {
        let descriptor = chatelaine_sealed_memfd("chatelaine-doctor")
        guard descriptor >= 0 else {
            return Finding(
                "kernel.memfd", .problem, "no anonymous files: \(Self.text(errno))",
                remedy: "no program can prove itself without them; allow memfd_create in the sandbox or container")
        }
        close(descriptor)
        return Finding("kernel.memfd", .ok, "anonymous files work")
    }

    private var landlock: Finding {
        let version = chatelaine_landlock_version()
        guard version > 0 else {
            return Finding(
                "kernel.landlock", .degraded, "not there, or not switched on",
                remedy: "boot with lsm=landlock,… so that the key custodian can shut itself in")
        }
        return Finding("kernel.landlock", .ok, "version \(version)")
    }

    private var seccomp: Finding {
        guard chatelaine_has_seccomp_filters() != 0 else {
            return Finding(
                "kernel.seccomp", .degraded, "no filters of system calls",
                remedy: "use a kernel with CONFIG_SECCOMP_FILTER")
        }
        return Finding("kernel.seccomp", .ok, "system calls can be filtered")
    }

    private static func text(_ code: Int32) -> String { Errno(code).description }
}
