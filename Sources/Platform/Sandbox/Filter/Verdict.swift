/// What the filter does with a system call.
enum Verdict: Hashable, Sendable {
    case allow
    /// Refuses the call with an error and counts it, so that `security doctor` shows it: our code never needs this
    /// call.
    case refuse(UInt16)
    /// Refuses the call with an error and does not count it: a library usually tries this call and can do without.
    case answer(UInt16)
    /// Kills the process at once: only an intruder makes this call.
    case kill

    /// The filter's return value: `SECCOMP_RET_` of linux/seccomp.h.
    var returnValue: UInt32 {
        switch self {
        case .allow: 0x7FFF_0000
        case .refuse(let error): 0x0003_0000 | UInt32(error)
        case .answer(let error): 0x0005_0000 | UInt32(error)
        case .kill: 0x8000_0000
        }
    }
}
