import ArgumentParser
import ChatelaineModel

/// `security snapshot create`: copies the store as it is now.
struct SnapshotCreateCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Takes a snapshot now.",
        usage: "security snapshot create [--keychain keychain] [--json]",
        discussion:
            "The store stays in use meanwhile. Snapshots are taken once a day without being asked for. A file keychain has to be unlocked."
    )

    @Option(
        name: .long, help: ArgumentHelp("Those of this file keychain.", valueName: "keychain"), completion: .file())
    var keychain: String?
    @Flag(name: .long, help: "An array of one object.")
    var json = false

    func run(in context: ToolContext) throws -> Int32 {
        let (service, path) = (context.keychain, try SnapshotListing.path(keychain, context))
        let taken = try context.progress.watch("copying") { () throws(KeychainError) in
            try service.snapshots(.take(keychain: path))
        }
        try SnapshotListing(context: context).show(taken, asJSON: json)
        return ExitStatus.success
    }
}
