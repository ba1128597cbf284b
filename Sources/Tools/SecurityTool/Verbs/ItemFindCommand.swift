import ArgumentParser
import ChatelaineMemory
import ChatelaineModel

/// `security item find`: shows the items that match, or the secret of one.
struct ItemFindCommand: ToolCommand, SearchCommand {
    static let configuration = CommandConfiguration(
        commandName: "find", abstract: "Shows items, or the secret of one.",
        usage: "security item find [attributes] [--secret] [--all|--limit n] [--json]",
        discussion:
            "Shows the first item that matches, and says so where there are more. With --secret exactly one has to "
            + "match.")

    @OptionGroup var attributes: AttributeOptions
    @OptionGroup var options: SearchOptions
    @Flag(
        name: .long,
        help: "Write the secret and nothing else, byte for byte; with --json, show it beside the attributes.")
    var secret = false
    @Flag(name: .long, help: "Every item that matches, not just one.")
    var all = false
    @Option(name: .long, help: ArgumentHelp("So many items at most, 1 or more.", valueName: "n"))
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
        if isList {
            pairs.append(("m_Limit", limit.map { .number($0) } ?? .text("m_LimitAll")))
            try ItemListing(context: context).show(try find(pairs, in: context), asJSON: json)
        } else if secret {
            let selection = try Selection(pairs, in: context)
            try selection.requireOne(pairs, in: context)
            // This uses the reference, because another item may match by now.
            if let item = try find(Selection.pairs(of: selection.items[0]), in: context).first {
                try show(item, in: context)
            }
        } else {
            pairs.append(("m_Limit", .number(2)))
            let items = try find(pairs, in: context)
            if let item = items.first { try show(item, in: context) }
            if items.count > 1 { context.complain("this is one of several that match; --all shows them") }
        }
        return ExitStatus.success
    }

    private func find(
        _ pairs: [(key: String, value: QueryValue)], in context: ToolContext
    ) throws -> [FoundItem] {
        var pairs = pairs
        if secret { pairs.append(("r_Data", .number(1))) }
        if json || !secret { pairs.append(("r_Attributes", .number(1))) }
        let query = try QueryParser.query(pairs, for: .find)
        let keychain = context.keychain
        return try context.progress.watch("searching") { () throws(KeychainError) in try keychain.find(query) }
    }

    private func show(_ item: FoundItem, in context: ToolContext) throws {
        if json {
            var writer = JSONWriter()
            ItemDescription(item: item).write(to: &writer)
            writer.end()
            try writer.flush(to: context.output)
        } else if !secret {
            try context.output.write(ItemDescription(item: item).block)
        } else {
            guard let secret = item.secret else { throw ToolError.failure("the item holds no secret") }
            try SecretOutput(output: context.output).write(secret)
        }
    }
}
