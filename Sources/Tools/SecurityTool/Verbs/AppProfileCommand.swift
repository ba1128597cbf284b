import ArgumentParser

/// `security app profile`: makes a profile of what single signers of a team may claim
/// (`Documentation/formats/codesig.md`).
struct AppProfileCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "profile", abstract: "Makes a profile: what a team lets single signers claim.",
        usage:
            "security app profile file --identity file... --signer file... [--identifier name...] [--group name...] [--application-group name...] [--days n]",
        discussion:
            "It is made with the anchor\u{2019}s key, and goes into signatures with security app sign --profile. A team can be told to ask for one: "
            + "root puts an empty file TEAM.requires-profiles beside the anchor. A name that ends with .* stands for all below it."
    )

    @Argument(help: "Where the profile goes.", completion: .file())
    var file: String
    @Option(
        name: .long, help: "PEM with the anchor\u{2019}s private key or certificate; may be given several times.",
        completion: .file())
    var identity: [String] = []
    @Option(
        name: .long, help: "PEM with the certificate of a signer; may be given several times.", completion: .file())
    var signer: [String] = []
    @Option(name: .long, help: "An identifier, or all below one; may be given several times.")
    var identifier: [String] = []
    @Option(name: .long, help: "An access group, or all below one; may be given several times.")
    var group: [String] = []
    @Option(name: .long, help: "An application group; may be given several times.")
    var applicationGroup: [String] = []
    @Option(name: .long, help: "How long it is valid; 365 unless given, and no longer than the anchor.")
    var days = 365

    func run(in context: ToolContext) throws -> Int32 {
        guard !identity.isEmpty else { throw ToolError.usage("an identity is missing") }
        guard !signer.isEmpty else { throw ToolError.usage("a signer is missing") }
        guard 1...36_500 ~= days else { throw ToolError.usage("days are 1 to 36500") }
        let path = try ApplicationPath.absolute(file, mustExist: false)
        var words = ["profile", "output=\(path)", "days=\(days)"]
        for (name, values) in [
            ("identity", identity), ("signer", signer), ("identifier", identifier), ("group", group),
            ("application-group", applicationGroup),
        ] {
            guard !values.contains("") else { throw ToolError.usage("a path or a name is empty") }
            words += values.map { "\(name)=\($0)" }
        }
        return try CompanionProgram.signing.run(words, in: context)
    }
}
