import Glibc

/// Rules that every process of ours needs while it works.
extension FilterRule {
    /// The calls of a look-up, in securityd and enclaved.
    static let frequent: [SystemCall] = [
        .recvmsg, .sendto, .futex, .read, .write, .close, .fstat, .newfstatat, .pread64, .sendmsg,
    ]

    static let permission = Verdict.refuse(UInt16(EPERM))
    static let noMemory = Verdict.refuse(UInt16(EACCES))

    /// `PROT_EXEC`, `CLONE_…`: numbers of the kernel's interface that are the same on every machine.
    private enum Bits {
        static let executable: UInt32 = 0x4
        /// CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD: the flags of a thread, as opposed to a
        /// process.
        static let thread: UInt32 = 0x100 | 0x200 | 0x400 | 0x800 | 0x10000
        /// CLONE_NEWTIME to CLONE_NEWNET: the flags of new namespaces, which our threads and processes never have.
        static let namespaces: UInt32 =
            0x80 | 0x20000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000
            | 0x20000000 | 0x40000000
        /// F_DUPFD to F_SETLKW, F_OFD_GETLK to F_OFD_SETLKW, F_DUPFD_CLOEXEC, F_GET_SEALS. Not F_SETOWN, which sends
        /// signals.
        static let fileControl: [UInt32] = [0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030, 1034]
        /// PR_GET_DUMPABLE, PR_GET_SECCOMP, PR_GET_NO_NEW_PRIVS, which only read; and PR_SET_NAME, since the dispatch
        /// library names its threads.
        static let harmless: [UInt32] = [3, 21, 39, 15]
        /// MADV_NORMAL to MADV_DONTNEED, FREE, HUGEPAGE, NOHUGEPAGE, DONTDUMP, WIPEONFORK. Not MADV_DODUMP.
        static let advice: [UInt32] = [0, 1, 2, 3, 4, 8, 14, 15, 16, 18]
    }

    /// Memory, threads, time, a process's own signals, and open descriptors.
    static var working: [FilterRule] {
        let plain: [SystemCall] = [
            .readv, .writev, .pwrite64, .lseek, .poll, .ppoll, .recvfrom, .getsockopt, .setsockopt, .shutdown,
            .getsockname, .munmap, .mremap, .brk, .mlock, .munlock, .schedYield, .schedGetaffinity, .setRobustList,
            .rseq, .exit, .exitGroup, .restartSyscall, .getcpu, .rtSigaction, .rtSigprocmask, .rtSigreturn,
            .rtSigtimedwait, .sigaltstack, .pause, .getpid, .getppid, .gettid, .getuid, .geteuid, .getgid, .getegid,
            .clockGettime, .clockGetres, .clockNanosleep, .nanosleep, .gettimeofday, .time, .times, .getrandom,
            .uname, .sysinfo, .getrusage, .getrlimit, .dup, .capget,
        ]
        return plain.map(allow) + [
            .allow(.mmap, if: .bits(argument: 2, mask: Bits.executable, values: [0]), otherwise: noMemory),
            .allow(.mprotect, if: .bits(argument: 2, mask: Bits.executable, values: [0]), otherwise: noMemory),
            .allow(.madvise, if: .word(2, in: Bits.advice), otherwise: permission),
            .allow(
                .clone, if: .bits(argument: 0, mask: Bits.thread | Bits.namespaces, values: [Bits.thread]),
                otherwise: permission),
            // The flags of clone3 are in memory, which a filter cannot see; the C library then uses clone.
            .always(.answer(UInt16(ENOSYS)), .clone3),
            .allow(.fcntl, if: .word(1, in: Bits.fileControl), otherwise: permission),
            .allow(.prctl, if: .word(0, in: Bits.harmless), otherwise: permission),
            .allow(.prlimit64, if: .isNull(argument: 2), otherwise: permission),
            // abort(3) ends the process by a signal to itself; only helpers send signals to other processes.
            .allow(.tgkill, if: .word(0, in: [UInt32(bitPattern: getpid())]), otherwise: permission),
            .always(.answer(UInt16(ENOTTY)), .ioctl),
        ]
    }

    /// The flags that put a process or thread into other namespaces.
    static let namespaces = Bits.namespaces

    /// A new process in the same namespaces.
    static let process = FilterRule.allow(
        .clone, if: .bits(argument: 0, mask: namespaces, values: [0]), otherwise: permission)

    /// Opening and keeping files; Landlock decides which files.
    static let filing: [FilterRule] =
        ([
            .open, .openat, .stat, .lstat, .statx, .access, .faccessat, .faccessat2, .fsync, .fdatasync, .ftruncate,
            .flock, .getdents64, .mkdir, .mkdirat, .rmdir, .unlink, .unlinkat, .rename, .renameat, .renameat2, .statfs,
            .fstatfs, .umask, .fadvise64,
        ] as [SystemCall]).map(allow)

    /// Calls that our code never makes and an intruder might; they kill the process.
    static let forbidden: [FilterRule] =
        ([
            .execve, .execveat, .fork, .vfork, .ptrace, .processVmReadv, .processVmWritev, .processMadvise, .pidfdGetfd,
            .pidfdSendSignal, .kcmp, .kexecLoad, .kexecFileLoad, .initModule, .finitModule, .deleteModule, .bpf,
            .perfEventOpen, .userfaultfd, .ioUringSetup, .ioUringEnter, .ioUringRegister, .mount, .umount2, .pivotRoot,
            .chroot, .setns, .unshare, .openTree, .moveMount, .fsopen, .fsconfig, .fsmount, .fspick, .mountSetattr,
            .keyctl, .addKey, .requestKey, .reboot, .swapon, .swapoff, .acct, .quotactl, .iopl, .ioperm, .modifyLdt,
            .settimeofday, .clockSettime, .clockAdjtime, .adjtimex, .sethostname, .setdomainname, .syslog,
            .openByHandleAt, .nameToHandleAt, .fanotifyInit, .fanotifyMark, .setuid, .setgid, .setreuid, .setregid,
            .setresuid, .setresgid, .setfsuid, .setfsgid, .setgroups, .capset, .personality, .vhangup, .movePages,
            .migratePages, .mbind, .setMempolicy,
        ] as [SystemCall]).map { .always(.kill, $0) }
}
