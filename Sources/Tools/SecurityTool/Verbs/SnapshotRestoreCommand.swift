import ArgumentParser
import ChatelaineModel

/// `security snapshot restore`: replaces the store by a snapshot, and deletes nothing.
struct SnapshotRestoreCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Makes a snapshot the store, and keeps the present store aside.",
        usage: "security snapshot restore name [--keychain keychain] [--json] [--stdin|--descriptor n]",
        discussion: "Items are then what they were when it was taken. Nothing is deleted: the answer says where the "
            + "store is that was replaced. Where there is a passcode, it is asked for. A file keychain is locked then, and has the "
            + "password of then; without a passcode it has to be unlocked. One of the machine\u{2019}s opens again by its "
            + "key file, and only root restores it.")

    @Argument(help: "The snapshot, as “security snapshot list” names it.", completion: SnapshotListing.completion)
    var name: String
    @Option(
        name: .long, help: ArgumentHelp("One of this file keychain.", valueName: "keychain"), completion: .file())
    var keychain: String?
    @Flag(name: .long, help: "An array of one object.")
    var json = false
    @OptionGroup var source: PasscodeSourceOptions

    func run(in context: ToolContext) throws -> Int32 {
        let (service, name) = (context.keychain, name)
        let path = try SnapshotListing.path(keychain, context)
        let passcode = try source.guarding(in: context)
        let restored = try context.progress.watch("restoring") { () throws(KeychainError) in
            try service.snapshots(.restore(name: name, keychain: path), passcode: passcode)
        }
        try SnapshotListing(context: context).show(restored, asJSON: json)
        return ExitStatus.success
    }
}
