/// The system calls and files that one of our processes may still use.
package struct Confinement: Sendable {
    let filter: SystemCallFilter
    /// nil for a process whose work Landlock would prevent.
    let files: FileRules?

    /// The measure that this process has to do without; nil where it has all.
    package var exempt: String? { files == nil ? SandboxMeasure.files.rawValue : nil }

    /// Confines the calling process for good; call it while there is one thread, and after everything else is open.
    ///
    /// It never fails: the result reports the measures that are missing.
    package func apply() -> SandboxRecord {
        // Landlock first: the filter forbids making rules.
        let files =
            files?.apply() ?? SandboxState(SandboxMeasure.files.rawValue, .off, "this process looks at others")
        return SandboxRecord(files: files, calls: filter.apply(filter.prepared))
    }
}
