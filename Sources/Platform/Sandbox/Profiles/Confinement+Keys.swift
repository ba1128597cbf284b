import Glibc

extension Confinement {
    /// keyd: forks the workers and kills them. It has no file and no socket but its channel, and those that it makes for workers.
    ///
    /// They inherit this and put their own over it.
    package static func keyStarter() -> Confinement {
        let starting: [FilterRule] =
            [.allow(.kill, if: .word(1, in: [UInt32(SIGKILL)]), otherwise: FilterRule.permission), FilterRule.process]
            + ([.wait4, .socketpair, .dup3, .closeRange, .prctl, .seccomp] as [SystemCall]).map(FilterRule.allow)
        return Confinement(
            filter: SystemCallFilter(
                frequent: FilterRule.frequent, rules: starting + FilterRule.working + FilterRule.forbidden),
            files: FileRules([]))
    }

    /// A worker of keyd's, in which a key is parsed and calculated with: memory and its channel.
    ///
    /// That it opens no file is keyd's rule, which it has inherited.
    package static func keyWorker() -> Confinement {
        Confinement(
            filter: SystemCallFilter(
                frequent: FilterRule.frequent, rules: FilterRule.working + FilterRule.forbidden),
            files: nil)
    }
}
