import Glibc

extension Confinement {
    /// The helper that starts security-agent, and the programs that it starts: the agent and a pinentry with a
    /// desktop's toolkit.
    ///
    /// Nobody can list the calls of a toolkit. So this filter allows calls by default, and names those that reach into
    /// other processes, the kernel or the machine. The programs that inherit it have no handler for counted refusals,
    /// so each refused call gets a plain error. There is no Landlock, since a toolkit opens any file.
    package static func dialogs() -> Confinement {
        let never: [SystemCall] = [
            .ptrace, .processVmReadv, .processVmWritev, .processMadvise, .pidfdGetfd, .kcmp, .kexecLoad, .kexecFileLoad,
            .initModule, .finitModule, .deleteModule, .bpf, .userfaultfd, .mount, .umount2, .pivotRoot, .chroot,
            .openTree, .moveMount, .fsopen, .fsconfig, .fsmount, .fspick, .mountSetattr, .reboot, .swapon, .swapoff,
            .acct, .iopl, .ioperm, .settimeofday, .clockSettime, .sethostname, .setdomainname, .openByHandleAt,
            .fanotifyInit,
        ]
        // A library may try these, and can do without.
        let tried: [SystemCall] = [
            .perfEventOpen, .setns, .unshare, .quotactl, .clockAdjtime, .adjtimex, .syslog, .nameToHandleAt,
            .fanotifyMark, .vhangup, .movePages, .migratePages,
        ]
        let missing: [SystemCall] = [
            .ioUringSetup, .ioUringEnter, .ioUringRegister, .keyctl, .addKey, .requestKey, .clone3,
        ]
        let rules: [FilterRule] = [
            .allow(.clone, if: .bits(argument: 0, mask: FilterRule.namespaces, values: [0]), otherwise: denied),
            // TIOCSTI types into a terminal, and TIOCLINUX into a console.
            .allow(.ioctl, if: .not(argument: 1, values: [typeAhead, console]), otherwise: denied),
            // Displays over ssh(1) are reached by TCP.
            .allow(
                .socket, if: .word(0, in: [AF_UNIX, AF_INET, AF_INET6, AF_NETLINK].map { UInt32($0) }),
                otherwise: .answer(UInt16(EAFNOSUPPORT))),
        ]
        return Confinement(
            filter: SystemCallFilter(
                frequent: FilterRule.frequent,
                rules: rules + never.map { .always(.kill, $0) } + tried.map { .always(denied, $0) }
                    + missing.map { .always(.answer(UInt16(ENOSYS)), $0) },
                unlisted: .allow),
            files: nil)
    }

    /// security-agent, once its pinentry runs and its terminal is open: no file, no socket, no program.
    ///
    /// There is no Landlock: under it, the agent could not end a pinentry that was started before.
    package static func agent() -> Confinement {
        let rules: [FilterRule] = [
            .allow(.kill, if: .word(1, in: [UInt32(SIGKILL), UInt32(SIGTERM)]), otherwise: FilterRule.permission),
            .allow(.wait4),
            // For restoring the terminal's settings: TCGETS, TCSETS, TCSETSW, TCSETSF.
            .allow(.ioctl, if: .word(1, in: [0x5401, 0x5402, 0x5403, 0x5404]), otherwise: .answer(UInt16(ENOTTY))),
        ]
        return Confinement(
            filter: SystemCallFilter(
                frequent: FilterRule.frequent, rules: rules + FilterRule.working + FilterRule.forbidden),
            files: nil)
    }

    private static let denied = Verdict.answer(UInt16(EPERM))
    /// TIOCSTI and TIOCLINUX.
    private static let typeAhead: UInt32 = 0x5412
    private static let console: UInt32 = 0x541C
}
