import ArgumentParser
import ChatelaineIPC
import ChatelaineModel

/// `security snapshot purge`: deletes snapshots for good, since they contain items that were deleted from the store.
struct SnapshotPurgeCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "purge", abstract: "Deletes snapshots, with what they keep of deleted items.",
        usage: "security snapshot purge name...|--all|--keep n [--keychain keychain] [--json] [--stdin|--descriptor n]",
        discussion:
            "Shows those that it deleted. The store itself stays as it is. Where there is a passcode, it is asked for. Of a file keychain the next unlock takes one anew."
    )

    @Argument(
        help: "Snapshots, as “security snapshot list” names them.", completion: SnapshotListing.completion)
    var names: [String] = []
    @Flag(name: .long, help: "All of them.")
    var all = false
    @Option(name: .long, help: ArgumentHelp("All but the newest n, 0 or more.", valueName: "n"))
    var keep: UInt64?
    @Option(
        name: .long, help: ArgumentHelp("Those of this file keychain.", valueName: "keychain"), completion: .file())
    var keychain: String?
    @Flag(name: .long, help: "An array of objects.")
    var json = false
    @OptionGroup var source: PasscodeSourceOptions

    func run(in context: ToolContext) throws -> Int32 {
        guard [!names.isEmpty, all, keep != nil].count(where: { $0 }) == 1 else {
            throw ToolError.usage("name snapshots, or all of them with --all, or all but the newest with --keep")
        }
        let path = try SnapshotListing.path(keychain, context)
        let passcode = try source.guarding(in: context)
        var deleted: [SnapshotRecord] = []
        if names.isEmpty {
            deleted = try context.keychain.snapshots(.deleteAll(kept: keep ?? 0, keychain: path), passcode: passcode)
        } else {
            do throws(KeychainError) {
                for name in names {
                    deleted += try context.keychain.snapshots(.delete(name: name, keychain: path), passcode: passcode)
                }
            } catch {
                // What is deleted is gone, whatever follows.
                try SnapshotListing(context: context).show(deleted, asJSON: json)
                throw error
            }
        }
        try SnapshotListing(context: context).show(deleted, asJSON: json)
        return ExitStatus.success
    }
}
