import ArgumentParser
import ChatelaineModel

/// `security app show`: shows a program's identity, its assurance, and the sources of its groups.
struct AppShowCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Says who a program is, how sure that is, and which groups it has.",
        usage: "security app show path [--json]",
        discussion:
            "It says what the program would be if it asked for something now, and why a signature does not count.")

    @Argument(help: "The executable.", completion: .file())
    var path: String
    @Flag(name: .long, help: "One object.")
    var json = false

    func run(in context: ToolContext) throws -> Int32 {
        let sentences = ApplicationSentences(
            application: try context.keychain.application(
                at: try ApplicationPath.absolute(path, mustExist: true)))
        if json {
            var writer = JSONWriter()
            sentences.write(to: &writer)
            writer.end()
            try writer.flush(to: context.output)
        } else {
            try context.output.write(sentences.lines.map { $0 + "\n" }.joined())
        }
        return ExitStatus.success
    }
}

/// `security app verify`: tells whether the signature of a program counts.
struct AppVerifyCommand: ToolCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify", abstract: "Says whether the signature of a program counts.",
        usage: "security app verify path",
        discussion: "The exit status is 0 where it does, and 1 where it does not or where there is none.")

    @Argument(help: "The executable.", completion: .file())
    var path: String

    func run(in context: ToolContext) throws -> Int32 {
        let sentences = ApplicationSentences(
            application: try context.keychain.application(
                at: try ApplicationPath.absolute(path, mustExist: true)))
        guard sentences.isSigned else {
            context.complain(sentences.complaint ?? "\(path) has no signature")
            return ExitStatus.failure
        }
        try context.output.write(sentences.who + "\n")
        return ExitStatus.success
    }
}
