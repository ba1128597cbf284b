import ArgumentParser
import ChatelaineModel

/// Finds the command that the words name, reads its options, runs it, and reports its failure.
struct CommandLineRunner {
    let context: ToolContext

    /// Returns the exit status; throws ``OutputError`` only.
    func run(_ arguments: [String]) throws -> Int32 {
        switch arguments.first {
        case "--version":
            try context.output.write("security \(SecurityTool.version)\n")
            return ExitStatus.success
        case "-h", "--help": return try HelpText(output: context.output).show(Array(arguments.dropFirst()), context)
        case nil:
            try context.output.write(HelpText.list)
            return ExitStatus.usage
        case let word? where word.hasPrefix("-"):
            try context.output.write(HelpText.list)
            return ExitStatus.usage
        default: return try run(arguments, among: Verb.all, path: "security")
        }
    }

    private func run(_ arguments: [String], among verbs: [Verb], path: String) throws -> Int32 {
        let word = arguments.first ?? ""
        switch VerbMatch(word, among: verbs) {
        case .unknown:
            try context.errors.write("security: \(Printable.text(word)) is no verb of \(path); see security help\n")
            return ExitStatus.failure
        case .ambiguous(let names):
            try context.errors.write(
                "security: \(Printable.text(word)) is ambiguous: \(names.joined(separator: ", "))\n")
            return ExitStatus.failure
        case .found(let verb): return try run(verb, Array(arguments.dropFirst()), path: "\(path) \(verb.name)")
        }
    }

    private func run(_ verb: Verb, _ arguments: [String], path: String) throws -> Int32 {
        let usage = "Usage: \(path) \(verb.usage)\n"
        switch verb.action {
        case .help: return try HelpText(output: context.output).show(arguments, context)
        case .command(let type): return try run(type, arguments, usage: usage)
        case .group(let verbs):
            if let first = arguments.first, !first.hasPrefix("-") {
                return try run(arguments, among: verbs, path: path)
            }
            if let first = arguments.first, ["-h", "--help"].contains(first) {
                try context.output.write(HelpText.text(of: verb, path: path))
                return ExitStatus.success
            }
            try context.errors.write("security: \(verb.name) needs a verb of its own\n" + usage)
            return ExitStatus.usage
        }
    }

    private func run<Command: ToolCommand>(_ type: Command.Type, _ arguments: [String], usage: String) throws -> Int32 {
        let command: Command
        do {
            command = try type.parse(arguments)
        } catch {
            guard type.exitCode(for: error) == .success else {
                try context.errors.write("security: \(Printable.text(type.message(for: error)))\n" + usage)
                return ExitStatus.usage
            }
            try context.output.write(type.helpMessage(columns: HelpText(output: context.output).columns))
            return ExitStatus.success
        }
        do {
            return try command.run(in: context)
        } catch let error as KeychainError {
            try context.errors.write("security: \(Self.text(of: error))\n")
            return ExitStatus.of(error.status)
        } catch ToolError.usage(let text) {
            try context.errors.write("security: \(Printable.text(text))\n" + usage)
            return ExitStatus.usage
        } catch ToolError.failure(let text, let exitStatus) {
            try context.errors.write("security: \(Printable.text(text))\n")
            return exitStatus
        }
    }

    /// Name, sentence, and what the daemon says happened.
    static func text(of error: KeychainError) -> String {
        let entry = StatusCatalogue.entry(for: error.status.rawValue)
        let name = entry?.name ?? "OSStatus \(error.status.rawValue)"
        let sentence = entry.map { " \($0.message)" } ?? ""
        return "\(name):\(sentence)" + (error.reason.isEmpty ? "" : " (\(Printable.text(error.reason)))")
    }
}
