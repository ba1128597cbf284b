import ArgumentParser
import ChatelaineModel

/// `security snapshot list`: the copies of the store that there are.
struct SnapshotListCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists the snapshots, the newest first.",
        usage: "security snapshot list [--json]")

    @Flag(name: .long, help: "An array of objects.")
    var json = false

    func run(in context: ToolContext) throws -> Int32 {
        try SnapshotListing(context: context).show(try context.keychain.snapshots(.list), asJSON: json)
        return ExitStatus.success
    }
}
