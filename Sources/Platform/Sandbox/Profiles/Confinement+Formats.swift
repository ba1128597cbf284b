extension Confinement {
    /// formatd, which reads and writes one file of keys and certificates: what a worker has, and a rule of its own for files.
    package static func formats() -> Confinement {
        Confinement(
            filter: SystemCallFilter(
                frequent: FilterRule.frequent, rules: FilterRule.working + FilterRule.forbidden),
            files: FileRules([]))
    }
}
