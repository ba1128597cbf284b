import Glibc

extension Confinement {
    /// The helper that starts enclaved: executes that program and the loader that it needs, and nothing else.
    ///
    /// enclaved inherits this filter and puts its own over it, so this one lets through what a program's start needs.
    public static func spawner(program: String, loader: String?) -> Confinement {
        let starting: [FilterRule] =
            ([
                .execve, .wait4, .kill, .fork, .vfork, .chdir, .dup2, .dup3, .closeRange, .pipe2, .readlink,
                .readlinkat,
                .archPrctl, .setTidAddress, .rtSigpending, .mmap, .mprotect, .prctl, .prlimit64, .setrlimit, .seccomp,
                .landlockCreateRuleset, .landlockAddRule, .landlockRestrictSelf, .capset,
            ] as [SystemCall]).map(FilterRule.allow) + [FilterRule.process]
        let paths = [program] + (loader.map { [$0] } ?? [])
        return Confinement(
            filter: SystemCallFilter(
                frequent: FilterRule.frequent,
                rules: starting + FilterRule.working + FilterRule.filing + FilterRule.forbidden),
            files: FileRules(paths.map { FileRules.Place(path: $0, rights: .execute) }, governed: .execute))
    }

    /// The helper that looks at callers in /proc: no process, no program, no socket besides its channel.
    ///
    /// Without Landlock, which would forbid it to look. Files cannot be made, named or removed all the same: the filter
    /// lets none of these calls through, nor any opening for writing.
    public static func witness() -> Confinement {
        let writing = UInt32(O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)
        return Confinement(
            filter: SystemCallFilter(
                frequent: FilterRule.frequent,
                rules: [
                    .allow(
                        .openat, if: .bits(argument: 2, mask: writing, values: [0]), otherwise: FilterRule.permission),
                    .allow(.fstatfs),
                ] + FilterRule.working + FilterRule.forbidden),
            files: nil)
    }
}
