import Glibc

extension Confinement {
    /// A helper that starts programs of ours, enclaved and keyd, or trustd: executes these and the loader that they need, and nothing else.
    ///
    /// A program inherits this filter and puts its own over it, so this one lets through what a program's start needs.
    ///
    /// - Parameter reachesNetwork: whether the programs, which cannot have what this has not, speak to servers.
    package static func spawner(
        programs: [String], loader: String?, reachesNetwork: Bool = false
    ) -> Confinement {
        let starting: [FilterRule] =
            ([
                .execve, .wait4, .kill, .fork, .vfork, .chdir, .dup2, .dup3, .closeRange, .pipe2, .readlink,
                .readlinkat,
                .archPrctl, .setTidAddress, .rtSigpending, .socketpair, .mmap, .mprotect, .prctl, .prlimit64,
                .setrlimit, .seccomp,
                .landlockCreateRuleset, .landlockAddRule, .landlockRestrictSelf, .capset,
            ] as [SystemCall]).map(FilterRule.allow) + [FilterRule.process]
        let paths = programs + (loader.map { [$0] } ?? [])
        return Confinement(
            filter: SystemCallFilter(
                frequent: FilterRule.frequent,
                rules: starting + (reachesNetwork ? FilterRule.asking : []) + FilterRule.working + FilterRule.filing
                    + FilterRule.forbidden),
            files: FileRules(
                paths.map { FileRules.Place(path: $0, rights: .execute) }, governed: .execute,
                reachesNetwork: reachesNetwork))
    }

    /// The helper that starts those that look at callers, and ends them: as they are, and processes besides.
    ///
    /// They inherit this filter and put their own over it. Without Landlock, which they would inherit as well. Signals are for killing,
    /// and what it kills are its children.
    package static func overseer() -> Confinement {
        let starting: [FilterRule] =
            [.allow(.kill, if: .word(1, in: [UInt32(SIGKILL)]), otherwise: FilterRule.permission), FilterRule.process]
            + ([.wait4, .socketpair, .dup3, .closeRange, .prctl, .seccomp] as [SystemCall]).map(FilterRule.allow)
        return Confinement(
            filter: SystemCallFilter(frequent: FilterRule.frequent, rules: starting + FilterRule.looking), files: nil)
    }

    /// A helper that speaks on the system bus: connects to Unix sockets, and opens nothing, not even to read.
    ///
    /// Landlock knows no sockets that have a path; so it could reach those that the user can. It has nothing to say there.
    package static func busListener() -> Confinement {
        let unix: [UInt32] = [UInt32(AF_UNIX)]
        let rules: [FilterRule] = [
            .allow(.socket, if: .word(0, in: unix), otherwise: .refuse(UInt16(EAFNOSUPPORT))), .allow(.connect),
        ]
        return Confinement(
            filter: SystemCallFilter(
                frequent: FilterRule.frequent, rules: rules + FilterRule.working + FilterRule.forbidden),
            files: FileRules([]))
    }

    /// A process that looks at callers in /proc: no process, no program, no socket besides its channel.
    ///
    /// Without Landlock, which would forbid it to look. Files cannot be made, named or removed all the same: the filter
    /// lets none of these calls through, nor any opening for writing.
    package static func procReader() -> Confinement {
        Confinement(
            filter: SystemCallFilter(frequent: FilterRule.frequent, rules: FilterRule.looking), files: nil)
    }
}

extension FilterRule {
    fileprivate static var looking: [FilterRule] {
        let writing = UInt32(O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)
        return [
            .allow(.openat, if: .bits(argument: 2, mask: writing, values: [0]), otherwise: permission),
            .allow(.fstatfs),
        ] + working + forbidden
    }
}
