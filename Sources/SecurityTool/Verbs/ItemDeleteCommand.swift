import ArgumentParser
import ChatelaineModel

/// `security item delete`: every item that matches.
struct ItemDeleteCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete", abstract: "Deletes every item that matches.",
        usage: "security item delete attributes | --all-matching")

    @OptionGroup var search: SearchOptions
    @Flag(name: .long, help: "Delete all items of the class, where no attribute says which.")
    var allMatching = false

    func run(in context: ToolContext) throws -> Int32 {
        let query = try QueryParser.query(
            try search.pairs(guarding: "delete", allMatching: allMatching), for: .delete)
        let keychain = context.keychain
        try context.progress.watch("deleting") { () throws(KeychainError) in try keychain.delete(query) }
        return ExitStatus.success
    }
}
