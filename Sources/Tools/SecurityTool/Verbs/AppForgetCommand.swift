import ArgumentParser
import ChatelaineModel

/// `security app forget`: revokes the decision about a path.
struct AppForgetCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Takes the decision about a program back.",
        usage: "security app forget path [--json] [--stdin|--descriptor n]",
        discussion: "Where there is a passcode, it is asked for.")

    @Argument(help: "The path of the decision; it need not exist any more.", completion: .file())
    var path: String
    @Flag(name: .long, help: "An array of objects.")
    var json = false
    @OptionGroup var source: PasscodeSourceOptions

    func run(in context: ToolContext) throws -> Int32 {
        let path = try ApplicationPath.absolute(path, mustExist: false)
        try ApplicationListing(context: context).show(
            try context.keychain.applications(
                .forget(path: path), passcode: try source.guarding(in: context)), asJSON: json)
        return ExitStatus.success
    }
}
