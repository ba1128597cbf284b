/// What one of our processes is left with: its system calls and its files.
package struct Confinement: Sendable {
    let filter: SystemCallFilter
    /// nil for a process that Landlock would keep from its work.
    let files: FileRules?

    /// The measure that this process has to do without, if there is one.
    package var exempt: String? { files == nil ? SandboxMeasure.files.rawValue : nil }

    /// Shuts the calling process in, for good; call it while there is one thread, and after everything else is open.
    ///
    /// Never fails: what cannot be had is in the answer.
    package func apply() -> SandboxRecord {
        // Landlock first: the filter forbids making rules.
        let files =
            files?.apply() ?? SandboxState(SandboxMeasure.files.rawValue, .off, "this process looks at others")
        return SandboxRecord(files: files, calls: filter.apply(filter.prepared))
    }
}
