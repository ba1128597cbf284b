import Glibc

extension Confinement {
    /// The helper that starts security-agent, and what that starts: a pinentry, with the toolkit of a desktop.
    ///
    /// Nobody can list the calls of a toolkit. So this filter lets through what it does not name, and names what reaches into other
    /// processes, the kernel or the machine. Programs that it is inherited by have no handler for a refusal that is counted: each is
    /// answered with an error. Without Landlock, since a toolkit opens whatever it likes.
    package static func dialogs() -> Confinement {
        let never: [SystemCall] = [
            .ptrace, .processVmReadv, .processVmWritev, .processMadvise, .pidfdGetfd, .kcmp, .kexecLoad, .kexecFileLoad,
            .initModule, .finitModule, .deleteModule, .bpf, .userfaultfd, .mount, .umount2, .pivotRoot, .chroot,
            .openTree, .moveMount, .fsopen, .fsconfig, .fsmount, .fspick, .mountSetattr, .reboot, .swapon, .swapoff,
            .acct, .iopl, .ioperm, .settimeofday, .clockSettime, .sethostname, .setdomainname, .openByHandleAt,
            .fanotifyInit,
        ]
        // A library may try these, and has another way.
        let tried: [SystemCall] = [
            .perfEventOpen, .setns, .unshare, .quotactl, .clockAdjtime, .adjtimex, .syslog, .nameToHandleAt,
            .fanotifyMark, .vhangup, .movePages, .migratePages,
        ]
        let missing: [SystemCall] = [
            .ioUringSetup, .ioUringEnter, .ioUringRegister, .keyctl, .addKey, .requestKey, .clone3,
        ]
        let rules: [FilterRule] = [
            .allow(.clone, if: .bits(argument: 0, mask: FilterRule.namespaces, values: [0]), otherwise: denied),
            // A keyboard that types by itself into a terminal, or a console.
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
    /// Without Landlock, under which it could not end a pinentry that was started before.
    package static func agent() -> Confinement {
        let rules: [FilterRule] = [
            .allow(.kill, if: .word(1, in: [UInt32(SIGKILL), UInt32(SIGTERM)]), otherwise: FilterRule.permission),
            .allow(.wait4),
            // What a terminal was like is put back: TCGETS, TCSETS, TCSETSW, TCSETSF.
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
