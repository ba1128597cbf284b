import ArgumentParser
import ChatelaineModel

/// `security app team add`: makes signatures of a team count.
struct AppTeamAddCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Lets signatures of a team count.",
        usage: "security app team add file [--team teamid] [--json] [--stdin|--descriptor n]",
        discussion:
            "The file is the certificate at which those of the team end, PEM or DER. Whoever has its key can be every program of that team. A team has one anchor, "
            + "and root\u{2019}s in /etc/chatelaine/teams wins. Where there is a passcode, it is asked for.")

    @Argument(help: "The anchor\u{2019}s certificate.", completion: .file())
    var file: String
    @Option(name: .long, help: ArgumentHelp("The team that it has to be for.", valueName: "teamid"))
    var team: String?
    @Flag(name: .long, help: "An array of objects.")
    var json = false
    @OptionGroup var source: PasscodeSourceOptions

    func run(in context: ToolContext) throws -> Int32 {
        let team = try team.map(TeamWord.team)
        let certificate = try InputFile.bytes(file, limit: SignatureLimits.maximumAnchorBytes)
        guard !certificate.isEmpty else { throw ToolError.failure("\(file) is empty: it is no certificate") }
        try TeamListing(context: context).show(
            try context.keychain.teams(
                .add(certificate: certificate, team: team), passcode: try source.guarding(in: context)), asJSON: json)
        return ExitStatus.success
    }
}

/// `security app team list`
struct AppTeamListCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists the teams whose signatures count.",
        usage: "security app team list [--json]")

    @Flag(name: .long, help: "An array of objects.")
    var json = false

    func run(in context: ToolContext) throws -> Int32 {
        try TeamListing(context: context).show(try context.keychain.teams(.list), asJSON: json)
        return ExitStatus.success
    }
}

/// `security app team remove`
struct AppTeamRemoveCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Lets signatures of a team count no longer.",
        usage: "security app team remove teamid [--json] [--stdin|--descriptor n]",
        discussion:
            "What its programs have stored stays, and is theirs again when the same anchor is added again. Where there is a passcode, it is asked for."
    )

    @Argument(help: "The team.")
    var team: String
    @Flag(name: .long, help: "An array of objects.")
    var json = false
    @OptionGroup var source: PasscodeSourceOptions

    func run(in context: ToolContext) throws -> Int32 {
        let team = try TeamWord.team(team)
        let removed = try context.keychain.teams(.remove(team), passcode: try source.guarding(in: context))
        let listing = TeamListing(context: context)
        if json { try listing.show(removed, asJSON: true) } else { try listing.tell(ofRemoved: removed) }
        return ExitStatus.success
    }
}
