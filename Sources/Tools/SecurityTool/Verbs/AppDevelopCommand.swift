import ArgumentParser
import ChatelaineModel

/// `security app develop`: declares an executable, or all below a folder, as in development.
struct AppDevelopCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "develop", abstract: "Declares an executable, or all below a folder, as in development.",
        usage: "security app develop path [--json] [--stdin|--descriptor n]",
        discussion:
            "Whoever can write there is that program: no digest counts any more. Where there is a passcode, it is asked for."
    )

    @Argument(help: "The executable or the build folder.", completion: .file())
    var path: String
    @Flag(name: .long, help: "An array of objects.")
    var json = false
    @OptionGroup var source: PasscodeSourceOptions

    func run(in context: ToolContext) throws -> Int32 {
        let path = try ApplicationPath.absolute(path, mustExist: true)
        try ApplicationListing(context: context).show(
            try context.keychain.applications(
                .develop(path: path), passcode: try source.guarding(in: context)), asJSON: json)
        return ExitStatus.success
    }
}
