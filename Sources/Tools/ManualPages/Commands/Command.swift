import ArgumentParser
import Foundation
import SecurityTool

/// A verb with its full description, from which pages and completions are made.
struct Command {
    /// All verbs up to this one, the program's name first.
    var path: [String]
    /// The usage line after the path.
    var usage = ""
    var summary = ""
    var discussion = ""
    var options: [Option] = []
    /// The arguments that are neither verbs nor options.
    var operands: [Option] = []
    var verbs: [Command] = []
    /// Whether the first verb that begins with a word is taken, as on macOS.
    var isApples = false

    var name: String { path[path.count - 1] }
    var words: String { path.joined(separator: " ") }

    /// This command and all commands below it, in order.
    var all: [Command] { [self] + verbs.flatMap(\.all) }

    /// The `security` command; throws ``PageError`` if ArgumentParser's description has an unknown form.
    static func security() throws -> Command {
        var security = Command(path: ["security"])
        security.verbs = try SecurityTool.verbs.map { try Command($0, below: security.path) }
        // The same verbs follow `help`, without their options.
        guard let help = security.verbs.firstIndex(where: { $0.name == "help" }) else {
            throw PageError("security has no help")
        }
        security.verbs[help].verbs = security.verbs.filter { $0.name != "help" }.map {
            $0.bare(below: security.verbs[help].path)
        }
        security.options = [
            Option(names: ["-h", "--help"], help: "Show the verbs."),
            Option(names: ["--version"], help: "Show the version."),
            Option(names: ["-i"], help: "Run commands from standard input."),
            Option(names: ["-p"], valueName: "prompt", help: "The same, with this prompt."),
            Option(names: ["-q"], help: "Say nothing of what such a command ends with."),
            Option(names: ["-v"], help: "Show each command before it runs."),
        ]
        return security
    }

    /// The options that the commands about items share.
    static func attributes() throws -> [Option] {
        try Dump(SecurityTool.attributes._dumpHelp()).command.options.filter { !$0.names.contains("--help") }
    }

    private init(path: [String]) { self.path = path }

    private init(_ verb: VerbDescription, below parent: [String]) throws {
        path = parent + [verb.name]
        usage = verb.usage
        summary = verb.summary
        verbs = try verb.verbs.map { [path] in try Command($0, below: path) }
        options = [Option(names: ["-h", "--help"], help: "Show help information.")]
        if let own = verb.macOptions {
            isApples = true
            options =
                own.map {
                    Option(
                        names: ["-\($0.letter)"], valueName: $0.valueName, help: $0.help, isRepeating: true,
                        values: $0.isFile ? .files : .anything)
                } + [Option(names: ["-h"], help: "Show the usage; the exit status is 2.")]
            operands =
                verb.macOperand.map {
                    [Option(names: [], valueName: $0.valueName, help: "", isRepeating: $0.isRepeating, values: .files)]
                } ?? []
        }
        guard let command = verb.command else { return }
        let dump = try Dump(command._dumpHelp()).command
        discussion = dump.discussion ?? ""
        options = dump.options
        operands = dump.operands
    }

    private func bare(below parent: [String]) -> Command {
        var bare = Command(path: parent + [name])
        bare.summary = summary
        bare.isApples = isApples
        bare.verbs = verbs.map { $0.bare(below: bare.path) }
        return bare
    }
}
