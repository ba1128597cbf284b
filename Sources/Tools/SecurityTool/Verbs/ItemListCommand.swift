import ArgumentParser
import ChatelaineMemory
import ChatelaineModel

/// `security item list`: lists the items of this tool's own groups (behaviour/security-command.md, 4).
struct ItemListCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists the items of this tool's own groups.",
        usage: "security item list [--class class] [--group group] [--json] [--all [--stdin|--descriptor n]]",
        discussion:
            "With --all it lists what every program has stored, and takes the passcode for that. Secrets are never listed."
    )

    /// Identities are left out, because their certificates and keys are listed.
    private static let classes: [ClassWord] = [.generic, .internet, .certificate, .key]

    @Option(name: [.customLong("class")], help: "Only generic, internet, certificate, key or identity.")
    var itemClass: ClassWord?
    @Option(name: .long, help: "Only this access group.")
    var group: String?
    @Flag(name: .long, help: "An array of objects.")
    var json = false
    @Flag(name: .long, help: "The items of all groups; takes the passcode.")
    var all = false
    @OptionGroup var source: PasscodeSourceOptions

    func run(in context: ToolContext) throws -> Int32 {
        var items: [FoundItem] = []
        let passcode = all ? try passcode(in: context) : nil
        for itemClass in itemClass.map({ [$0] }) ?? Self.classes {
            var pairs: [(key: String, value: QueryValue)] = [
                ("class", .text(itemClass.itemClass.name)), ("sync", .text("syna")), ("m_Limit", .text("m_LimitAll")),
                ("r_Attributes", .number(1)),
            ]
            if let group { pairs.append(("agrp", .text(group))) }
            let query = try QueryParser.query(pairs, for: .find)
            let keychain = context.keychain
            do {
                items += try context.progress.watch("reading") { () throws(KeychainError) in
                    if let passcode { return try keychain.listAll(query, passcode: passcode) }
                    return try keychain.find(query)
                }
            } catch {
                // A class without items is no failure here.
                guard error.status == .itemNotFound else { throw error }
            }
        }
        try ItemListing(context: context).show(items, asJSON: json)
        return ExitStatus.success
    }

    private func passcode(in context: ToolContext) throws -> SecretBytes {
        if let passcode = try source.guarding(in: context) { return passcode }
        throw KeychainError(
            .authFailed,
            "items of other programs are listed for whoever has the passcode, and there is none: “security passcode set” sets one"
        )
    }
}
