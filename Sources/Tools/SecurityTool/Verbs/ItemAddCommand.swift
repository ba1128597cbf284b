import ArgumentParser
import ChatelaineModel

/// `security item add`: stores a new item.
struct ItemAddCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Stores an item; asks for its secret.",
        usage: "security item add [attributes] [--stdin|--secret-fd n|--no-secret] [--json]",
        discussion:
            "Without a source, the secret is asked for twice at the terminal and not shown, and not at all where the "
            + "item is there already. It is \(Limits.secretBytes / 1024 / 1024) MiB at most, typed or read.")

    @OptionGroup var attributes: AttributeOptions
    @OptionGroup var source: SecretSourceOptions
    @Flag(name: .long, help: "Store no secret, and ask for none.")
    var noSecret = false
    @Flag(name: .long, help: "The new item as one object.")
    var json = false

    func validate() throws {
        guard !noSecret || !source.isGiven else { throw ValidationError("--no-secret goes without a source") }
    }

    func run(in context: ToolContext) throws -> Int32 {
        var pairs = try attributes.pairs()
        let itemClass = try attributes.impliedClass(pairs)
        pairs.append(("class", .text(itemClass.itemClass.name)))
        if json { pairs.append(("r_Attributes", .number(1))) }
        // An error in the attributes is reported before the secret is asked for.
        _ = try QueryParser.newItem(pairs)
        if source.isGiven {
            // This comes before any file is opened, so that the descriptor is one that the caller passed to us.
            pairs.append(("v_Data", .secret(try source.read(in: context))))
        } else if !noSecret, itemClass.isPassword {
            try DuplicateCheck(context: context).run(pairs, itemClass.itemClass)
            pairs.append(("v_Data", .secret(try source.ask(in: context, twice: true))))
        }
        let item = try context.keychain.add(try QueryParser.newItem(pairs))
        if json {
            var writer = JSONWriter()
            ItemDescription(item: item).write(to: &writer)
            writer.end()
            try writer.flush(to: context.output)
        }
        return ExitStatus.success
    }
}
