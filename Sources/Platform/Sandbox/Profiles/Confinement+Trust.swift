extension Confinement {
    /// The process that looks at one signature: memory, its channel, and nothing else.
    ///
    /// A stranger's bytes are parsed there. It opens no file and no socket, not even to read, and makes no process.
    package static func trust() -> Confinement {
        Confinement(
            filter: SystemCallFilter(
                frequent: FilterRule.frequent, rules: FilterRule.working + FilterRule.forbidden),
            files: FileRules([]))
    }
}
