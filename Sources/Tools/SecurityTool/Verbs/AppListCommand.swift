import ArgumentParser
import ChatelaineModel

/// `security app list`: lists the decisions about programs.
struct AppListCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists the decisions about programs.", usage: "security app list [--json]")

    @Flag(name: .long, help: "An array of objects.")
    var json = false

    func run(in context: ToolContext) throws -> Int32 {
        try ApplicationListing(context: context).show(try context.keychain.applications(.list), asJSON: json)
        return ExitStatus.success
    }
}
