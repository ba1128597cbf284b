extension Confinement {
    /// enclaved: its state folder and its channels. No socket, no process, no program, no other file, not even to read.
    ///
    /// The names in the folder above can be listed besides: it has to be opened so that the name of the state folder
    /// can be made durable.
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
