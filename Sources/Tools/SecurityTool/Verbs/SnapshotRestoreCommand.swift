import ArgumentParser
import ChatelaineModel

/// `security snapshot restore`: goes back to a snapshot, and deletes nothing.
struct SnapshotRestoreCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Makes a snapshot the store, and keeps the present store aside.",
        usage: "security snapshot restore name [--json] [--stdin|--descriptor n]",
        discussion: "Items are then what they were when it was taken. Nothing is deleted: the answer says where the "
            + "store is that was replaced. Where there is a passcode, it is asked for.")

    @Argument(help: "The snapshot, as “security snapshot list” names it.", completion: SnapshotListing.completion)
    var name: String
    @Flag(name: .long, help: "An array of one object.")
    var json = false
    @OptionGroup var source: PasscodeSourceOptions

    func run(in context: ToolContext) throws -> Int32 {
        let (keychain, name) = (context.keychain, name)
        let passcode = try source.guarding(in: context)
        let restored = try context.progress.watch("restoring") { () throws(KeychainError) in
            try keychain.snapshots(.restore(name: name), passcode: passcode)
        }
        try SnapshotListing(context: context).show(restored, asJSON: json)
        return ExitStatus.success
    }
}
