import Glibc

extension Confinement {
    /// A helper that starts our programs (enclaved and keyd, or trustd): executes them and the loader that they need,
    /// and nothing else.
    ///
    /// A program inherits this filter and applies its own on top, so this filter allows what a program's start needs.
    ///
    /// - Parameter reachesNetwork: whether the programs connect to servers; they cannot have a right that the helper
    ///   lacks.
    package static func spawner(
        programs: [String], loader: String?, reachesNetwork: Bool = false
    ) -> Confinement {
        let starting: [FilterRule] =
            ([
                .execve, .wait4, .fork, .vfork, .chdir, .dup2, .dup3, .closeRange, .pipe2, .readlink,
                .readlinkat,
                .archPrctl, .setTidAddress, .rtSigpending, .socketpair, .mmap, .mprotect, .prctl, .setrlimit,
                .seccomp,
                .landlockCreateRuleset, .landlockAddRule, .landlockRestrictSelf, .capset,
            ] as [SystemCall]).map(FilterRule.allow) + [
                // A helper ends what it has started, and limits itself.
                .allow(.kill, if: .word(1, in: [UInt32(SIGKILL), UInt32(SIGTERM)]), otherwise: FilterRule.permission),
                .allow(.prlimit64, if: .word(0, in: [0]), otherwise: FilterRule.permission), FilterRule.process,
            ]
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

    /// The helper that starts and ends the processes of ``procReader()``: their rights, and processes besides.
    ///
    /// Those processes inherit this filter and apply their own on top. There is no Landlock, which they would inherit
    /// as well. The helper sends only SIGKILL, to its children.
    package static func procHelperSupervisor() -> Confinement {
        let starting: [FilterRule] =
            [.allow(.kill, if: .word(1, in: [UInt32(SIGKILL)]), otherwise: FilterRule.permission), FilterRule.process]
            + ([.wait4, .socketpair, .dup3, .closeRange, .prctl, .seccomp] as [SystemCall]).map(FilterRule.allow)
        return Confinement(
            filter: SystemCallFilter(frequent: FilterRule.frequent, rules: starting + FilterRule.looking), files: nil)
    }

    /// A helper that speaks on the system bus: connects to Unix sockets, and opens nothing, not even to read.
    ///
    /// Landlock does not cover sockets with a path, so the helper could connect to any socket that the user can. It
    /// holds nothing that it could give away there.
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

    /// A process that inspects callers in /proc: no process, no program, no socket besides its channel.
    ///
    /// There is no Landlock, which would forbid the inspection. The filter allows no call that makes, names or removes
    /// files, nor opening for writing.
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
