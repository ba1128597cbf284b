import ArgumentParser
import ChatelaineModel

/// `security app accept`: accepts a changed executable as the program that it replaced (behaviour/callers.md, 10).
struct AppAcceptCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "accept", abstract: "Takes a changed executable for the program that it replaced.",
        usage: "security app accept path [--json] [--stdin|--descriptor n]",
        discussion: "Where there is a passcode, it is asked for.")

    @Argument(help: "The executable.", completion: .file())
    var path: String
    @Flag(name: .long, help: "An array of objects.")
    var json = false
    @OptionGroup var source: PasscodeSourceOptions

    func run(in context: ToolContext) throws -> Int32 {
        let path = try ApplicationPath.absolute(path, mustExist: true)
        try ApplicationListing(context: context).show(
            try context.keychain.applications(
                .accept(path: path), passcode: try source.guarding(in: context)), asJSON: json)
        return ExitStatus.success
    }
}
