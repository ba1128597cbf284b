import ArgumentParser
import ChatelaineModel

/// `security item delete`: deletes the items that match.
struct ItemDeleteCommand: ToolCommand, SearchCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Deletes items.",
        usage: "security item delete attributes|--all [--json]",
        discussion:
            "Says how many it deleted. Where several match it asks at the terminal first, and without a terminal it "
            + "deletes none, unless --all says that all are meant. What is deleted is what was counted: an item that is stored "
            + "meanwhile stays.")

    @OptionGroup var attributes: AttributeOptions
    @OptionGroup var options: SearchOptions
    @Flag(name: .long, help: "Every item that matches; without attributes, every item of the class.")
    var all = false
    @Flag(name: .long, help: "One object, with the number of deleted items.")
    var json = false

    func run(in context: ToolContext) throws -> Int32 {
        let pairs = try search.pairs()
        _ = try QueryParser.query(pairs, for: .delete)
        guard try all || search.isSelective() else {
            throw ToolError.usage("delete wants an attribute that says which items are meant, or --all")
        }
        let selection = try Selection(pairs, in: context)
        try selection.confirm("delete", isWanted: all, in: context)
        let deleted = try delete(selection.items, in: context)
        guard deleted > 0 else { throw KeychainError(.itemNotFound, "somebody else has deleted it meanwhile") }
        if json {
            var writer = JSONWriter()
            writer.beginObject()
            writer.key("deleted")
            writer.value(deleted)
            writer.endObject()
            writer.end()
            try writer.flush(to: context.output)
        } else {
            try context.output.write("\(Quantity.count(deleted, "item")) deleted\n")
        }
        return ExitStatus.success
    }

    /// Deletes the items one by one; returns how many still existed.
    private func delete(_ items: [FoundItem], in context: ToolContext) throws -> Int {
        var deleted = 0
        for (index, item) in items.enumerated() {
            do throws(KeychainError) {
                try context.keychain.delete(try QueryParser.query(Selection.pairs(of: item), for: .delete))
                deleted += 1
            } catch {
                if error.status == .itemNotFound { continue }
                context.progress.finish()
                if deleted > 0 {
                    context.complain("\(deleted) of \(Quantity.count(items.count, "item")) deleted before this:")
                }
                throw error
            }
            if index % Progress.itemsBetweenUpdates == Progress.itemsBetweenUpdates - 1 {
                context.progress.show("\(index + 1) of \(items.count) items…")
            }
        }
        if items.count >= Progress.itemsBetweenUpdates { context.progress.finish() }
        return deleted
    }
}
