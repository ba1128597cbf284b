import ArgumentParser
import ChatelaineModel

/// `security snapshot list`: lists the copies of the store.
struct SnapshotListCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists the snapshots, the newest first.",
        usage: "security snapshot list [--keychain keychain] [--json]")

    @Option(
        name: .long, help: ArgumentHelp("Those of this file keychain.", valueName: "keychain"), completion: .file())
    var keychain: String?
    @Flag(name: .long, help: "An array of objects.")
    var json = false

    func run(in context: ToolContext) throws -> Int32 {
        let path = try SnapshotListing.path(keychain, context)
        try SnapshotListing(context: context).show(
            try context.keychain.snapshots(.list(keychain: path)), asJSON: json)
        return ExitStatus.success
    }
}
