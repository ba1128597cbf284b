import CChatelaine
import Glibc

/// What one of our processes is left with: its system calls and its files.
public struct Confinement: Sendable {
    let filter: SystemCallFilter
    /// nil for a process that Landlock would keep from its work.
    let files: FileRules?

    /// The measure that this process has to do without, if there is one.
    public var exempt: String? { files == nil ? SandboxMeasure.files.rawValue : nil }

    /// Shuts the calling process in, for good; call it while there is one thread, and after everything else is open.
    ///
    /// Never fails: what cannot be had is in the answer.
    public func apply() -> SandboxRecord {
        // Landlock first: the filter forbids making rules.
        let files =
            files?.apply() ?? SandboxState(SandboxMeasure.files.rawValue, .off, "this process looks at others")
        return SandboxRecord(files: files, calls: filter.apply())
    }
}

extension SystemCallFilter {
    /// Puts the filter on every thread.
    func apply() -> SandboxState {
        let name = SandboxMeasure.calls.rawValue
        guard let machine = Machine.current else {
            return SandboxState(name, .impossible, "the system calls of this machine are not known to us")
        }
        guard chatelaine_has_seccomp_filters() != 0 else {
            return SandboxState(name, .impossible, "the kernel has no filters of system calls (seccomp)")
        }
        let program = program(for: machine)
        guard program.count <= Self.maximumInstructions, chatelaine_refusals_handle() == 0 else {
            return SandboxState(name, .off, "the filter cannot be prepared")
        }
        // SAFETY: the call reads `count` instructions; the kernel keeps a copy.
        let result = program.withUnsafeBufferPointer { chatelaine_filter_install($0.baseAddress, UInt16($0.count)) }
        guard result == 0 else {
            return SandboxState(name, .off, "installing the filter failed: \(String(cString: strerror(errno)))")
        }
        return SandboxState(name, .on, "seccomp, \(rules.count) rules")
    }
}
