import CChatelaine
import Glibc

extension Confinement {
    /// keyd and trustd: they fork workers and kill them. They have no file and no socket but their channel, and those that they make for workers.
    ///
    /// Workers inherit this and put their own over it (``WorkerConfinement``).
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
        // The process that a rule for signals would name here is the one that forks: a worker sends none, and ends without.
        let signal = FilterRule.always(FilterRule.permission, .tgkill)
        return Confinement(
            filter: SystemCallFilter(
                frequent: FilterRule.frequent, rules: [signal] + FilterRule.working + FilterRule.forbidden),
            files: nil)
    }
}

/// The sandbox of workers, made before the first is forked: the kernel looks at each instruction of a filter for each process.
package struct WorkerConfinement: Sendable {
    private let filter: SystemCallFilter
    private let program: [chatelaine_instruction]?

    /// - Parameter inherited: what became of ``Confinement/forkServer()`` in the process that forks them. Where its filter is not there, a
    ///   worker puts on all of its own.
    package init(over inherited: SandboxRecord) {
        let whole = Confinement.forkedWorker().filter
        filter = inherited.calls.level == .on ? Confinement.forkServer().filter.narrowing(to: whole) : whole
        program = filter.prepared
    }

    /// Shuts the calling process in, for good.
    package func apply() -> SandboxState { filter.apply(program) }
}
