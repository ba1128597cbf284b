import ArgumentParser
import ChatelaineMemory
import ChatelaineModel

/// `security item find`: items that match, or the secret of one.
struct ItemFindCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "find", abstract: "Shows items, or the secret of one.",
        usage: "security item find [attributes] [--secret] [--all | --limit n] [--json]")

    @OptionGroup var search: SearchOptions
    @Flag(
        name: .long,
        help: "Write the secret and nothing else, byte for byte; with --json, show it beside the attributes.")
    var secret = false
    @Flag(name: .long, help: "Every item that matches, not just one.")
    var all = false
    @Option(name: .long, help: ArgumentHelp("So many items at most.", valueName: "n"))
    var limit: Int64?
    @Flag(name: .long, help: "An object, or with --all and --limit an array of them.")
    var json = false

    func validate() throws {
        guard !all || limit == nil else { throw ValidationError("--all and --limit exclude each other") }
        guard (limit ?? 1) > 0 else { throw ValidationError("--limit wants a number from 1") }
        guard !secret || json || !isList else {
            throw ValidationError("several secrets cannot be told apart on standard output; use --json")
        }
    }

    private var isList: Bool { all || limit != nil }

    func run(in context: ToolContext) throws -> Int32 {
        var pairs = try search.pairs()
        if all { pairs.append(("m_Limit", .text("m_LimitAll"))) }
        if let limit { pairs.append(("m_Limit", .number(limit))) }
        if secret { pairs.append(("r_Data", .number(1))) }
        if json || !secret { pairs.append(("r_Attributes", .number(1))) }
        let query = try QueryParser.query(pairs, for: .find)
        let keychain = context.keychain
        let items = try context.progress.watch("searching") { () throws(KeychainError) in try keychain.find(query) }
        if isList {
            try ItemListing(context: context).show(items, asJSON: json)
        } else if let item = items.first {
            try show(item, in: context)
        }
        return ExitStatus.success
    }

    private func show(_ item: FoundItem, in context: ToolContext) throws {
        if json {
            var writer = JSONWriter()
            ItemDescription(item: item).write(to: &writer)
            writer.end()
            try writer.flush(to: context.output)
        } else if !secret {
            try context.output.write(ItemDescription(item: item).block)
        } else if let secret = item.secret {
            try SecretOutput(output: context.output).write(secret)
        }
    }
}
