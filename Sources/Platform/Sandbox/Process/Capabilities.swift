/// What a process of ours keeps of root's power (capabilities(7)); an ordinary user has none of it.
struct Capabilities: OptionSet, Sendable {
    let rawValue: UInt64

    /// CAP_DAC_READ_SEARCH: a caller of root's may lie in a folder that is closed to root without it.
    static let readAnything = Capabilities(rawValue: 1 << 2)
    /// CAP_IPC_LOCK: keys are locked in memory however low the limit is.
    static let lockMemory = Capabilities(rawValue: 1 << 14)
    /// CAP_SYS_PTRACE: a process of root's has more capabilities than who looks at it.
    static let lookAtProcesses = Capabilities(rawValue: 1 << 19)
}
