import ArgumentParser
import ChatelaineModel

/// `security app sign`: writes a signature beside an executable (`Documentation/formats/codesig.md`).
struct AppSignCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign", abstract: "Signs an executable with the identity of a team.",
        usage:
            "security app sign path --identity file... --identifier name [--entitlements file] [--profile file] [--days n] [--output file]",
        discussion:
            "The signature is path.codesig, which lies beside the executable wherever that is copied. Whoever builds the executable anew "
            + "signs it again, and it keeps its items. The name is the team, a full stop and what the program is called, such as "
            + "TEAM123456.com.example.editor.")

    @Argument(help: "The executable.", completion: .file())
    var path: String
    @Option(
        name: .long, help: "PEM with the private key or certificates; may be given several times.", completion: .file())
    var identity: [String] = []
    @Option(name: .long, help: "The program's identifier, the team's prefix before it.")
    var identifier: String
    @Option(name: .long, help: "A property list or JSON with the groups.", completion: .file())
    var entitlements: String?
    @Option(name: .long, help: "A profile of the team\u{2019}s anchor (security app profile).", completion: .file())
    var profile: String?
    @Option(name: .long, help: "How long it is valid; 365 unless given, and no longer than the certificate.")
    var days = 365
    @Option(name: .long, help: "Where the signature goes; path.codesig unless given.", completion: .file())
    var output: String?

    func run(in context: ToolContext) throws -> Int32 {
        guard !identity.isEmpty else { throw ToolError.usage("an identity is missing") }
        guard 1...36_500 ~= days else { throw ToolError.usage("days are 1 to 36500") }
        for word in identity + [identifier, entitlements ?? "-", profile ?? "-", output ?? "-"] where word.isEmpty {
            throw ToolError.usage("a path or a name is empty")
        }
        let path = try ApplicationPath.absolute(path, mustExist: true)
        return try CompanionProgram.signing.run(
            ["sign", path, output ?? path + ".codesig", identifier, "\(days)", entitlements ?? "", profile ?? ""]
                + identity, in: context)
    }
}

/// `security app identity create`: makes a team.
struct AppIdentityCreateCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Makes a team's anchor, and an identity that signs its programs.",
        usage: "security app identity create --team team --common-name name folder",
        discussion:
            "Three files: TEAM.pem is the anchor, which a machine has to know (security app team add). TEAM-signer.pem signs programs. "
            + "TEAM-anchor-key.pem makes further signers: keep it where programs do not run. None that is there is written over. "
            + "The keys are not encrypted.")

    @Option(name: .long, help: "Ten capital letters and digits.")
    var team: String
    @Option(name: .long, help: "Who signs, as it stands in the certificates.")
    var commonName: String
    @Argument(help: "The folder for the files.", completion: .directory)
    var folder: String

    func run(in context: ToolContext) throws -> Int32 {
        guard TeamIdentifier(team) != nil else {
            throw ToolError.usage("a team is ten capital letters and digits")
        }
        let folder = try ApplicationPath.absolute(folder, mustExist: false)
        return try CompanionProgram.signing.run(["create", team, commonName, folder], in: context)
    }
}
