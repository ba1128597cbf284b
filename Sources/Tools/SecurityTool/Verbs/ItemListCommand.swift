import ArgumentParser
import ChatelaineModel

/// `security item list`: the items of this tool's own groups (behaviour/security-command.md, 4).
struct ItemListCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists the items of this tool's own groups.",
        usage: "security item list [--class class] [--group group] [--json]")

    /// Identities are certificates and keys seen together, which are listed themselves.
    private static let classes: [ClassWord] = [.generic, .internet, .certificate, .key]

    @Option(name: [.customLong("class")], help: "Only generic, internet, certificate, key or identity.")
    var itemClass: ClassWord?
    @Option(name: .long, help: "Only this access group.")
    var group: String?
    @Flag(name: .long, help: "An array of objects.")
    var json = false

    func run(in context: ToolContext) throws -> Int32 {
        var items: [FoundItem] = []
        for itemClass in itemClass.map({ [$0] }) ?? Self.classes {
            var pairs: [(key: String, value: QueryValue)] = [
                ("class", .text(itemClass.itemClass.name)), ("sync", .text("syna")), ("m_Limit", .text("m_LimitAll")),
                ("r_Attributes", .number(1)),
            ]
            if let group { pairs.append(("agrp", .text(group))) }
            let query = try QueryParser.query(pairs, for: .find)
            let keychain = context.keychain
            do {
                items += try context.progress.watch("reading") { () throws(KeychainError) in try keychain.find(query) }
            } catch {
                // A class without items is no failure of a list.
                guard error.status == .itemNotFound else { throw error }
            }
        }
        try ItemListing(context: context).show(items, asJSON: json)
        return ExitStatus.success
    }
}
