import CChatelaine
import Glibc

extension SystemCallFilter {
    /// The filter's program for this machine; nil for an unknown machine.
    var prepared: [chatelaine_instruction]? { Machine.current.map { program(for: $0) } }

    /// Applies the filter to every thread.
    ///
    /// - Parameter program: ``prepared``, which the caller may have computed earlier.
    func apply(_ program: [chatelaine_instruction]?) -> SandboxState {
        let name = SandboxMeasure.calls.rawValue
        guard let program else {
            return SandboxState(name, .impossible, "the system calls of this machine are not known to us")
        }
        guard chatelaine_has_seccomp_filters() != 0 else {
            return SandboxState(name, .impossible, "the kernel has no filters of system calls (seccomp)")
        }
        guard program.count <= Self.maximumInstructions, chatelaine_refusals_handle() == 0 else {
            return SandboxState(name, .off, "the filter cannot be prepared")
        }
        // SAFETY: the call reads `count` instructions; the kernel keeps a copy.
        let result = program.withUnsafeBufferPointer { chatelaine_filter_install($0.baseAddress, UInt16($0.count)) }
        guard result == 0 else { return .failure(.calls, "installing the filter", errno) }
        return SandboxState(name, .on, "seccomp, \(rules.count) rules")
    }
}
