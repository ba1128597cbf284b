import Glibc

extension Confinement {
    /// keyd and trustd: they fork workers and kill them. They have no file and no socket but their channel, and those that they make for workers.
    ///
    /// Workers inherit this and put their own over it.
    package static func forkServer() -> Confinement {
        let starting: [FilterRule] =
            [
                .allow(.kill, if: .word(1, in: [UInt32(SIGKILL)]), otherwise: FilterRule.permission),
                // A worker lowers its own limits.
                .allow(.prlimit64, if: .word(0, in: [0]), otherwise: FilterRule.permission), FilterRule.process,
            ]
            + ([.wait4, .socketpair, .dup3, .closeRange, .prctl, .seccomp] as [SystemCall]).map(FilterRule.allow)
        return Confinement(
            filter: SystemCallFilter(
                frequent: FilterRule.frequent, rules: starting + FilterRule.working + FilterRule.forbidden),
            files: FileRules([]))
    }

    /// A worker of one of them, in which a key is calculated with, or strangers' certificates are parsed: memory and its channel.
    ///
    /// That it opens no file is the rule that it has inherited.
    package static func forkedWorker() -> Confinement {
        Confinement(
            filter: SystemCallFilter(
                frequent: FilterRule.frequent, rules: FilterRule.working + FilterRule.forbidden),
            files: nil)
    }
}
