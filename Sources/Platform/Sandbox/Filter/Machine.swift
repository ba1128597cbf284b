/// The machines whose system calls we know.
enum Machine: Sendable, CaseIterable {
    /// x86-64.
    case x86
    /// 64-bit ARM.
    case arm

    /// nil on any other: there is then no filter, and the report says so.
    static var current: Machine? {
        #if arch(x86_64)
            .x86
        #elseif arch(arm64)
            .arm
        #else
            nil
        #endif
    }

    /// `AUDIT_ARCH_X86_64` and `AUDIT_ARCH_AARCH64` (linux/audit.h): what the kernel tells a filter.
    var auditArchitecture: UInt32 {
        switch self {
        case .x86: 0xC000_003E
        case .arm: 0xC000_00B7
        }
    }

    /// The first number of another ABI on the same machine (x32), nil where there is none.
    var foreignCalls: UInt32? {
        switch self {
        case .x86: 0x4000_0000
        case .arm: nil
        }
    }
}
