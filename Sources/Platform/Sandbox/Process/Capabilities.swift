/// The capabilities of root that a process of ours keeps (capabilities(7)); an ordinary user has none of them.
struct Capabilities: OptionSet, Sendable {
    let rawValue: UInt64

    /// CAP_DAC_READ_SEARCH: the executable of a caller that runs as root may be in a folder that is closed to root
    /// without this capability.
    static let readAnything = Capabilities(rawValue: 1 << 2)
    /// CAP_IPC_LOCK: keys are locked in memory however low the limit is.
    static let lockMemory = Capabilities(rawValue: 1 << 14)
    /// CAP_SYS_PTRACE: without it, a process cannot inspect a process of root with more capabilities.
    static let lookAtProcesses = Capabilities(rawValue: 1 << 19)
}
