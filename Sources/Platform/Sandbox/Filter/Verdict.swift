/// What becomes of a system call.
enum Verdict: Hashable, Sendable {
    case allow
    /// Answered with an error without being made, and counted, so that `security doctor` shows it: nothing of ours needs
    /// this call.
    case refuse(UInt16)
    /// Answered with an error without being counted: a library tries this as a matter of course and has another way.
    case answer(UInt16)
    /// The process ends at once: only an intruder makes this call.
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
