import ArgumentParser
import ChatelaineModel

/// `security item update`: attributes and secret of every item that matches.
struct ItemUpdateCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "update", abstract: "Changes every item that matches.",
        usage: "security item update attributes [--set name=value]... [--prompt | --stdin | --secret-fd n]")

    @OptionGroup var search: SearchOptions
    @OptionGroup var source: SecretSourceOptions
    @Option(
        name: .long,
        help: ArgumentHelp(
            "The new value of an attribute, by name or key of four characters, written as for --attribute.",
            valueName: "name=value"), completion: AttributeWord.completion)
    var set: [String] = []
    @Flag(name: .long, help: "Ask for the new secret at the terminal, twice.")
    var prompt = false
    @Flag(name: .long, help: "Change all items of the class, where no attribute says which.")
    var allMatching = false

    func validate() throws {
        guard !prompt || !source.isGiven else { throw ValidationError("--prompt goes without another source") }
        guard !set.isEmpty || prompt || source.isGiven else {
            throw ValidationError("nothing to change; use --set, --prompt, --stdin or --secret-fd")
        }
    }

    func run(in context: ToolContext) throws -> Int32 {
        let query = try QueryParser.query(
            try search.pairs(guarding: "update", allMatching: allMatching), for: .update)
        var assignments = AssignmentList()
        for assignment in set { try assignments.add(assignment: assignment, option: "--set") }
        var changes = assignments.pairs
        _ = try QueryParser.change(changes, of: query.itemClass)
        if source.isGiven {
            changes.append(("v_Data", .secret(try source.read(in: context))))
        } else if prompt {
            changes.append(("v_Data", .secret(try source.ask(in: context, twice: true))))
        }
        let change = try QueryParser.change(changes, of: query.itemClass)
        let keychain = context.keychain
        try context.progress.watch("changing") { () throws(KeychainError) in try keychain.update(query, change) }
        return ExitStatus.success
    }
}
