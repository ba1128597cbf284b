extension Confinement {
    /// enclaved: its state folder and its channels. No socket, no process, no program, and no other file, not even to
    /// read.
    ///
    /// It may also list the names in the parent folder, which it has to open to make the name of the state folder
    /// durable.
    package static func custodian(stateFolder: String) -> Confinement {
        let above = stateFolder.utf8.split(separator: UInt8(ascii: "/")).dropLast().reduce("") {
            $0 + "/" + Substring($1)
        }
        return Confinement(
            filter: SystemCallFilter(
                frequent: FilterRule.frequent, rules: FilterRule.working + FilterRule.filing + FilterRule.forbidden),
            files: FileRules([
                FileRules.Place(path: stateFolder, rights: .keeping),
                FileRules.Place(path: above, rights: .readFolder),
            ]))
    }
}
