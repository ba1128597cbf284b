import CChatelaine
import Glibc

extension Confinement {
    /// keyd and trustd, which fork workers and kill them. They have no file, and no socket but their channel and the
    /// workers' channels.
    ///
    /// Workers inherit this confinement and apply their own on top (``WorkerConfinement``).
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

    /// A worker of keyd or trustd, which calculates with a key or parses strangers' certificates: memory and its
    /// channel.
    ///
    /// It inherits the rule that it opens no file.
    package static func forkedWorker() -> Confinement {
        // The filter is prepared in the parent, so a rule for signals would name the parent's process id. A worker
        // sends no signal.
        let signal = FilterRule.always(FilterRule.permission, .tgkill)
        return Confinement(
            filter: SystemCallFilter(
                frequent: FilterRule.frequent, rules: [signal] + FilterRule.working + FilterRule.forbidden),
            files: nil)
    }
}

/// The sandbox of workers, prepared before the first fork: the kernel checks each instruction of a filter for each
/// process.
package struct WorkerConfinement: Sendable {
    private let filter: SystemCallFilter
    private let program: [chatelaine_instruction]?

    /// - Parameter inherited: the result of ``Confinement/forkServer()`` in the process that forks. Where that filter
    ///   is missing, a worker applies the whole of its own.
    package init(over inherited: SandboxRecord) {
        let whole = Confinement.forkedWorker().filter
        filter = inherited.calls.level == .on ? Confinement.forkServer().filter.narrowing(to: whole) : whole
        program = filter.prepared
    }

    /// Confines the calling process for good.
    package func apply() -> SandboxState { filter.apply(program) }
}
