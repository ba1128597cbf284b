import Glibc

extension Confinement {
    /// securityd: reads any file, since callers' executables lie anywhere; writes beneath its own folders; executes
    /// nothing; sockets of this machine only.
    ///
    /// A process under Landlock may not look at others that are not, so who calls is looked at by ``procReader()``; and
    /// enclaved is started by ``spawner(program:loader:)``, which may execute it.
    ///
    /// - Parameters:
    ///   - publishes: whether it writes files that others read, as root's does with the machine's keychains.
    ///   - reachesAbstractSockets: true where the service manager listens in the abstract namespace.
    package static func daemon(
        folders: [String], publishes: Bool = false, reachesAbstractSockets: Bool
    ) -> Confinement {
        let unix: [UInt32] = [UInt32(AF_UNIX)]
        let family = Verdict.refuse(UInt16(EAFNOSUPPORT))
        let rules: [FilterRule] =
            ([
                .accept4, .connect, .readlink, .readlinkat, .getxattr, .inotifyInit1, .inotifyAddWatch,
                .inotifyRmWatch, .getcwd, .pidfdOpen,
                // What is typed in a dialog goes through one, past this process.
                .pipe2, .tee,
                // The dispatch queue that GRDB opens a database on.
                .epollCreate1, .epollCtl, .epollWait, .epollPwait, .eventfd2, .timerfdCreate, .timerfdSettime,
            ] as [SystemCall]).map(FilterRule.allow) + [
                .allow(.socket, if: .word(0, in: unix), otherwise: family),
                .allow(.socketpair, if: .word(0, in: unix), otherwise: family),
                // A file keychain has a second name while it is open. What a link leads to gets none, nor a descriptor's file.
                .allow(.linkat, if: .word(4, in: [0]), otherwise: FilterRule.permission),
                // It is made its owner's alone. A filter does not see whose file a descriptor is: nothing can be given to others.
                .allow(
                    .fchmod, if: .word(1, in: publishes ? [0o600, 0o644] : [0o600]), otherwise: FilterRule.permission),
                // SQLite gives a new file to the owner of the database when it runs as root; they are the same.
                .always(.answer(UInt16(EPERM)), .fchown),
                // The dispatch library makes threads of queues less urgent, and does without where it may not.
                .always(.answer(UInt16(EPERM)), .setpriority),
            ]
            // What opens the machine's keychains goes from its file into a pipe, past this process.
            + (publishes ? [.allow(.splice)] : [])
        return Confinement(
            filter: SystemCallFilter(
                frequent: FilterRule.frequent,
                rules: FilterRule.working + FilterRule.filing + rules + FilterRule.forbidden),
            files: FileRules(
                [FileRules.Place(path: "/", rights: .reading)]
                    + folders.map { FileRules.Place(path: $0, rights: .keeping) },
                reachesAbstractSockets: reachesAbstractSockets))
    }
}
