/// The machines whose system calls the filters know.
enum Machine: Sendable, CaseIterable {
    /// x86-64.
    case x86
    /// 64-bit ARM.
    case arm

    /// The machine of this build; nil for another one, which has no filter and reports that.
    static var current: Machine? {
        #if arch(x86_64)
            .x86
        #elseif arch(arm64)
            .arm
        #else
            nil
        #endif
    }

    /// The architecture as the kernel gives it to a filter: `AUDIT_ARCH_X86_64` and `AUDIT_ARCH_AARCH64`
    /// (linux/audit.h).
    var auditArchitecture: UInt32 {
        switch self {
        case .x86: 0xC000_003E
        case .arm: 0xC000_00B7
        }
    }

    /// The first call number of another ABI on the same machine (x32); nil where there is none.
    var foreignCalls: UInt32? {
        switch self {
        case .x86: 0x4000_0000
        case .arm: nil
        }
    }
}
