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
