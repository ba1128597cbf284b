import CChatelaine
import Glibc

/// The measures of a process's sandbox, to be shown by `security doctor`.
package struct SandboxRecord: Sendable {
    /// The state when the rules were applied: the kernel does not report it afterwards.
    let files: SandboxState
    let calls: SandboxState

    /// Whether no measure is missing.
    package var isComplete: Bool { states.allSatisfy { $0.level == .on || $0.level == .refused } }

    /// Every measure, and the refused calls if there were any; where the kernel reports a state, it is asked now.
    package var states: [SandboxState] {
        var states = [
            calls.level == .on && chatelaine_filter_mode() != 2
                ? SandboxState(SandboxMeasure.calls.rawValue, .off, "the kernel says that there is no filter") : calls,
            files,
            Self.state(
                .privileges, chatelaine_has_no_new_privileges() == 1 && capabilities.isSubset(of: Self.harmless),
                whenOff: "a program that it executes could gain some, or it kept too many itself"),
            Self.state(.dumping, chatelaine_is_dumpable() == 0, whenOff: "the process can be traced and dumped"),
            Self.state(.limits, Self.coreLimit == 0, whenOff: "core files can be written"),
            memory,
        ]
        var last: Int32 = -1
        let count = chatelaine_refusals(&last)
        if count > 0 {
            let times = count == 1 ? "once" : "\(count) times"
            states.append(SandboxState("refused", .refused, "\(times), last \(SystemCall.name(of: last))"))
        }
        return states
    }

    /// The capabilities that any of the roles may keep.
    private static let harmless = ProcessHardening.Role.allCases.reduce(Capabilities()) { $0.union($1.capabilities) }

    private var capabilities: Capabilities { Capabilities(rawValue: chatelaine_capabilities()) }

    private var memory: SandboxState {
        guard chatelaine_freed_memory_is_overwritten() != 0 else {
            return SandboxState(
                SandboxMeasure.memory.rawValue, .impossible,
                "the C library does not overwrite what is freed; \(CHATELAINE_ALLOCATOR_VARIABLE) has no effect on it")
        }
        return SandboxState(SandboxMeasure.memory.rawValue, .on)
    }

    private static func state(_ measure: SandboxMeasure, _ isOn: Bool, whenOff: String = "") -> SandboxState {
        SandboxState(measure.rawValue, isOn ? .on : .off, isOn ? "" : whenOff)
    }

    private static var coreLimit: UInt64 {
        var limit = rlimit()
        return getrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &limit) == 0 ? UInt64(limit.rlim_max) : .max
    }
}
