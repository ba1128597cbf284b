import ArgumentParser
import Glibc

/// The texts of `security help`, in the form of ArgumentParser's texts for commands.
struct HelpText {
    /// The column in which ArgumentParser begins explanations.
    private static let column = 24
    /// The width without a terminal, so that the text is the same everywhere.
    private static let plainColumns = 80
    /// ArgumentParser ends the process below the lower bound, for lack of room; beyond the upper one, lines are hard to
    /// read.
    private static let sensibleColumns = 50...120

    let output: Output

    private var columns: Int {
        var size = winsize()
        // SAFETY: the call writes one winsize.
        guard output.isTerminal, ioctl(output.descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return Self.plainColumns
        }
        return min(max(Int(size.ws_col), Self.sensibleColumns.lowerBound), Self.sensibleColumns.upperBound)
    }

    /// The help of the whole command.
    var list: String {
        """
        OVERVIEW: Passwords and other secrets on the command line.

        USAGE: security [-h] [-i] [-l] [-p prompt] [-q] [-v] [-R] [verb] [argument...]

        OPTIONS:
          -i                      Runs commands from standard input, a line each.
          -p prompt               The same, with this prompt at a terminal.
          -q                      Says nothing of what such a command ends with.
          -v                      Shows each command before it runs.
          -l, -R                  Change nothing; scripts for macOS may have them.
          --version               Shows which version this is.

        VERBS:
        \(lines(of: Verb.all.filter { !$0.isApples }))
        VERBS OF MACOS, FOR FILE KEYCHAINS:
        \(lines(of: Verb.all.filter(\.isApples)))
        A verb may be shortened as long as it stays the only one.
        See “security help VERB” or “security VERB --help” for its options.

        """
    }

    private func lines(of verbs: [Verb]) -> String {
        verbs.map { verb in
            let lines = Columns.wrapped(verb.summary, to: columns - Self.column - 2)
            let indent = String(repeating: " ", count: Self.column + 2)
            let name =
                verb.name.count < Self.column ? Columns.padded(verb.name, to: Self.column) : verb.name + "\n" + indent
            return "  " + name + lines.joined(separator: "\n" + indent) + "\n"
        }.joined()
    }

    /// The help of a command with its options.
    func text<Command: ToolCommand>(of type: Command.Type) -> String { type.helpMessage(columns: columns) }

    /// The help of a verb.
    func text(of verb: Verb, path: String) -> String {
        let head = "OVERVIEW: \(verb.summary)\n\nUSAGE: \(path) \(verb.usage)\n"
        switch verb.action {
        case .command(let type): return text(of: type)
        case .group(let verbs):
            return head + "\nVERBS:\n" + lines(of: verbs) + "\nSee “\(path) VERB --help” for its options.\n"
        case .mac(let verb): return verb.text
        case .help: return head
        }
    }

    /// Shows the help for each verb that the words name, where a word may be a verb of the group before it.
    func show(_ words: [String], _ context: ToolContext) throws -> Int32 {
        guard !words.isEmpty else {
            try output.write(list)
            return ExitStatus.success
        }
        var exitStatus = ExitStatus.success
        var index = 0
        while index < words.count {
            guard case .found(var verb) = VerbMatch(words[index], among: Verb.all) else {
                exitStatus = CommandLineRunner(context: context).refuse(words[index], path: "security")
                index += 1
                continue
            }
            var path = "security \(verb.name)"
            index += 1
            while index < words.count, case .group(let verbs) = verb.action,
                case .found(let inner) = VerbMatch(words[index], among: verbs)
            {
                verb = inner
                path += " \(verb.name)"
                index += 1
            }
            try output.write(text(of: verb, path: path))
        }
        return exitStatus
    }
}
