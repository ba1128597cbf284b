import ArgumentParser
import ChatelaineModel

/// `security acl list`: lists the programs that may use items of file keychains without a prompt
/// (behaviour/security-command.md, 48).
struct ACLListCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists the programs that may use items, and which.",
        usage: "security acl list [keychain...] [--json]",
        discussion:
            "Without a keychain it lists those of the search list. A keychain has to be unlocked: nothing proves who may use items of a locked one. "
            + "A program that is listed and asked about all the same is shown without a right.")

    @Argument(help: "The file keychains.", completion: .file())
    var keychains: [String] = []
    @Flag(name: .long, help: "An array of objects.")
    var json = false

    func run(in context: ToolContext) throws -> Int32 {
        let paths =
            keychains.isEmpty
            ? try context.keychain.read(.searched, of: .user)
            : try keychains.map { name throws(KeychainError) in try context.path(ofKeychain: name).text }
        var listing = GrantListing()
        var exitStatus = ExitStatus.success
        for path in paths {
            do throws(KeychainError) {
                for item in try KeychainItemSearch.all(in: path, isNamed: !keychains.isEmpty, context) {
                    listing.add(try context.keychain.access(of: item.reference, in: path, .fail), of: item)
                }
            } catch {
                // The other keychains are listed all the same.
                context.complain(error.reason)
                exitStatus = ExitStatus.failure
            }
        }
        try listing.show(in: context, asJSON: json)
        context.tellOfMissingChanges(in: paths)
        return exitStatus
    }
}
