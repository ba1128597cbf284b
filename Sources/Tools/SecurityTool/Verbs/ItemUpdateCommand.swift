import ArgumentParser
import ChatelaineModel

/// `security item update`: changes attributes and secrets of the items that match.
struct ItemUpdateCommand: ToolCommand, SearchCommand {
    static let configuration = CommandConfiguration(
        commandName: "update", abstract: "Changes attributes and secrets of items.",
        usage: "security item update attributes|--all [--set name=value]... [--prompt|--stdin|--secret-fd n] [--json]",
        discussion:
            "Says how many it changed. Where several match it asks at the terminal first, and without a terminal it "
            + "changes none, unless --all says that all are meant. All are changed or none. What is changed is what was counted, of "
            + "up to \(Limits.listedItems) items.")

    @OptionGroup var attributes: AttributeOptions
    @OptionGroup var options: SearchOptions
    @OptionGroup var source: SecretSourceOptions
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The new value of an attribute, by name or key of four characters, written as for --attribute.",
            valueName: "name=value"), completion: AttributeWord.completion)
    var set: [String] = []
    @Flag(name: .long, help: "Ask for the new secret at the terminal, twice.")
    var prompt = false
    @Flag(name: .long, help: "Every item that matches; without attributes, every item of the class.")
    var all = false
    @Flag(name: .long, help: "One object, with the number of changed items.")
    var json = false

    func validate() throws {
        guard !prompt || !source.isGiven else { throw ValidationError("--prompt goes without another source") }
        guard !set.isEmpty || prompt || source.isGiven else {
            throw ValidationError("nothing to change; use --set, --prompt, --stdin or --secret-fd")
        }
    }

    func run(in context: ToolContext) throws -> Int32 {
        let pairs = try search.pairs()
        let query = try QueryParser.query(pairs, for: .update)
        guard try all || search.isSelective() else {
            throw ToolError.usage("update wants an attribute that says which items are meant, or --all")
        }
        var assignments = AssignmentList()
        for assignment in set { try assignments.add(assignment: assignment, option: "--set") }
        var changes = assignments.pairs
        _ = try QueryParser.change(changes, of: query.itemClass)
        // This comes before any file is opened, so that the descriptor is one that the caller passed to us.
        if source.isGiven { changes.append(("v_Data", .secret(try source.read(in: context)))) }
        let selection = try Selection(pairs, in: context)
        try selection.confirm("change", isWanted: all, in: context)
        if prompt { changes.append(("v_Data", .secret(try source.ask(in: context, twice: true)))) }
        let change = try QueryParser.change(changes, of: query.itemClass)
        let count = try update(selection, pairs, change, in: context)
        if json {
            var writer = JSONWriter()
            writer.beginObject()
            writer.key("changed")
            writer.value(count)
            writer.endObject()
            writer.end()
            try writer.flush(to: context.output)
        } else {
            try context.output.write("\(Quantity.count(count, "item")) changed\n")
        }
        return ExitStatus.success
    }

    /// Changes all items in one call, so that a failure changes none of them.
    private func update(
        _ selection: Selection, _ pairs: [(key: String, value: QueryValue)], _ change: ItemChange,
        in context: ToolContext
    ) throws -> Int {
        let query = try QueryParser.query(selection.pairs ?? pairs, for: .update)
        let keychain = context.keychain
        try context.progress.watch("changing") { () throws(KeychainError) in try keychain.update(query, change) }
        return selection.items.count
    }
}
