import ArgumentParser
import ChatelaineModel

/// `security snapshot create`: a copy of the store as it is now.
struct SnapshotCreateCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Takes a snapshot now.", usage: "security snapshot create [--json]",
        discussion: "The store stays in use meanwhile. Snapshots are taken once a day without being asked for.")

    @Flag(name: .long, help: "An array of one object.")
    var json = false

    func run(in context: ToolContext) throws -> Int32 {
        let keychain = context.keychain
        let taken = try context.progress.watch("copying") { () throws(KeychainError) in try keychain.snapshots(.take) }
        try SnapshotListing(context: context).show(taken, asJSON: json)
        return ExitStatus.success
    }
}
