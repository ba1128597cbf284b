import Glibc

extension Confinement {
    /// securityd: reads any file, since callers' executables lie anywhere; writes below its own folders.
    ///
    /// It executes nothing, and uses sockets of this machine only. A process under Landlock may not inspect processes
    /// that are not, so ``procReader()`` inspects callers. ``spawner(programs:loader:reachesNetwork:)`` starts
    /// enclaved, since it may execute programs.
    ///
    /// - Parameters:
    ///   - publishes: whether it writes files that others read, as root's securityd does with the machine's keychains.
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
                // What a person types in a dialog goes through a pipe, past this process.
                .pipe2, .tee,
                // The dispatch queue on which GRDB opens a database.
                .epollCreate1, .epollCtl, .epollWait, .epollPwait, .eventfd2, .timerfdCreate, .timerfdSettime,
            ] as [SystemCall]).map(FilterRule.allow) + [
                .allow(.socket, if: .word(0, in: unix), otherwise: family),
                .allow(.socketpair, if: .word(0, in: unix), otherwise: family),
                // An open file keychain has a second name. Flags are refused, so that neither a link's target nor a
                // descriptor's file can get one.
                .allow(.linkat, if: .word(4, in: [0]), otherwise: FilterRule.permission),
                // A filter does not see whose file a descriptor is. So only two modes pass: private to the owner, and,
                // for the machine's keychains, readable by all.
                .allow(
                    .fchmod, if: .word(1, in: publishes ? [0o600, 0o644] : [0o600]), otherwise: FilterRule.permission),
                // SQLite gives a new file to the database's owner when it runs as root; here both owners are the same.
                .always(.answer(UInt16(EPERM)), .fchown),
                // The dispatch library lowers the priority of queues' threads, and works without it.
                .always(.answer(UInt16(EPERM)), .setpriority),
            ]
            // The secret that opens the machine's keychains goes from its file into a pipe, past this process.
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
