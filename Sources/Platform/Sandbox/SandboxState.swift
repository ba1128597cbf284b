import ChatelaineSystem
import Glibc

/// The measures in a daemon's report. The words are in reports (`wire.md`): they never change.
package enum SandboxMeasure: String, Sendable, CaseIterable {
    /// System calls: seccomp.
    case calls = "calls"
    /// Files: Landlock.
    case files = "files"
    /// No program that it executes gains a privilege: `PR_SET_NO_NEW_PRIVS`.
    case privileges = "privileges"
    /// No core file, no tracing: `PR_SET_DUMPABLE`.
    case dumping = "dumping"
    /// Resource limits.
    case limits = "limits"
    /// Freed memory is overwritten.
    case memory = "memory"
}

/// The state of one measure of the sandbox.
package struct SandboxState: Sendable, Equatable {
    /// A word of ``SandboxMeasure``, or `refused`.
    package let name: String
    package let level: SandboxLevel
    /// How far the measure reaches, or why it is missing.
    package let detail: String

    package init(_ name: String, _ level: SandboxLevel, _ detail: String = "") {
        self.name = name
        self.level = level
        self.detail = detail
    }

    /// The state after a failed step.
    ///
    /// The measure counts as not offered where the system does not know the step, or does not allow it, as in a
    /// container.
    static func failure(_ measure: SandboxMeasure, _ step: String, _ error: Int32) -> SandboxState {
        let isImpossible = [EPERM, ENOSYS, EINVAL, EOPNOTSUPP].contains(error)
        return SandboxState(
            measure.rawValue, isImpossible ? .impossible : .off, "\(step) failed: \(String(cString: strerror(error)))")
    }
}
