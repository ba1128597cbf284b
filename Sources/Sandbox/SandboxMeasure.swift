/// What a daemon's report lists, one by one.
public enum SandboxMeasure: String, Sendable, CaseIterable {
    /// System calls: seccomp.
    case calls
    /// Files: Landlock.
    case files
    /// No program that it executes gains a privilege: `PR_SET_NO_NEW_PRIVS`.
    case privileges
    /// No core file, no tracing: `PR_SET_DUMPABLE`.
    case dumping
    /// Resource limits.
    case limits
    /// Freed memory is overwritten.
    case memory
}
