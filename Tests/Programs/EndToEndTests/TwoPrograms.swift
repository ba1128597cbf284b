import Testing

/// A household with file keychains and two programs whose calls never ask a person.
struct TwoPrograms {
    let household: Household
    let keeper: ProbeProcess
    let game: ProbeProcess
    /// The paths of the programs.
    let paths: [String]

    init(keychains: String...) throws {
        household = try Household()
        let path = try household.otherApplication("game")
        paths = [try household.application("keeper"), path]
        keeper = try household.silentProbe("keeper")
        game = try household.silentProbe("game")
        for keychain in keychains { try household.create(keychain) }
    }
}
