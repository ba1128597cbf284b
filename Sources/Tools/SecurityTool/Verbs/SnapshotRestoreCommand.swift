import ArgumentParser
import ChatelaineModel

/// `security snapshot restore`: goes back to a snapshot, and deletes nothing.
struct SnapshotRestoreCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Makes a snapshot the store, and keeps the present store aside.",
        usage: "security snapshot restore name [--json]",
        discussion: "Items are then what they were when it was taken. Nothing is deleted: the answer says where the "
            + "store is that was replaced.")

    @Argument(help: "The snapshot, as “security snapshot list” names it.", completion: SnapshotListing.completion)
    var name: String
    @Flag(name: .long, help: "An array of one object.")
    var json = false

    func run(in context: ToolContext) throws -> Int32 {
        let (keychain, name) = (context.keychain, name)
        let restored = try context.progress.watch("restoring") { () throws(KeychainError) in
            try keychain.snapshots(.restore(name: name))
        }
        try SnapshotListing(context: context).show(restored, asJSON: json)
        return ExitStatus.success
    }
}
