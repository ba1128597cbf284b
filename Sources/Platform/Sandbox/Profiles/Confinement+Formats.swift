extension Confinement {
    /// formatd, which reads and writes one file of keys and certificates: a worker's filter, with its own file rules.
    package static func formats() -> Confinement {
        Confinement(
            filter: SystemCallFilter(
                frequent: FilterRule.frequent, rules: FilterRule.working + FilterRule.forbidden),
            files: FileRules([]))
    }
}
