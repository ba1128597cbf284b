import ArgumentParser
import ChatelaineModel

/// `security app forget`: takes the decision about a path back.
struct AppForgetCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Takes the decision about a program back.",
        usage: "security app forget path [--json]")

    @Argument(help: "The path of the decision; it need not exist any more.", completion: .file())
    var path: String
    @Flag(name: .long, help: "An array of objects.")
    var json = false

    func run(in context: ToolContext) throws -> Int32 {
        let path = try ApplicationPath.absolute(path, mustExist: false)
        try ApplicationListing(context: context).show(
            try context.keychain.applications(.forget(path: path)), asJSON: json)
        return ExitStatus.success
    }
}
