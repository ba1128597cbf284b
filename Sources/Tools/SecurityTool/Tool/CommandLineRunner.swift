import ArgumentParser
import ChatelaineModel

/// Finds the command that the words name, reads its options, runs it, and reports its failure.
struct CommandLineRunner {
    /// Options that ArgumentParser would answer itself.
    private static let foreignOptions: Set<String> = [
        "--help-hidden", "--experimental-dump-help", "--generate-completion-script",
    ]

    let context: ToolContext

    /// Returns the exit status; throws ``OutputError`` only.
    func run(_ arguments: [String]) throws -> Int32 {
        switch arguments.first {
        case "--version":
            try context.output.write("security \(SecurityTool.version)\n")
            return ExitStatus.success
        case "-h", "--help": return try HelpText(output: context.output).show(Array(arguments.dropFirst()), context)
        case nil:
            try context.output.write(HelpText(output: context.output).list)
            return ExitStatus.usage
        case let word? where word.hasPrefix("-"):
            guard let options = GlobalOptions(arguments), options.isInteractive || !options.words.isEmpty else {
                try context.output.write(HelpText(output: context.output).list)
                return ExitStatus.usage
            }
            return try run(options)
        default: return try run(arguments, among: Verb.all, path: "security")
        }
    }

    private func run(_ options: GlobalOptions) throws -> Int32 {
        func runOne(_ words: [String]) throws -> Int32 {
            if options.isVerbose { try context.errors.write(words.map(Printable.text).joined(separator: " ") + "\n") }
            return try run(words, among: Verb.all, path: "security")
        }
        // Words after the options are a command to run, as without `-i`.
        guard options.isInteractive, options.words.isEmpty else { return try runOne(options.words) }
        do { return try InteractiveMode(context: context, options: options).run(runOne) } catch ToolError.failure(
            let text, let exitStatus)
        {
            context.complain(text)
            return exitStatus
        }
    }

    private func run(_ arguments: [String], among verbs: [Verb], path: String) throws -> Int32 {
        let word = arguments.first ?? ""
        switch VerbMatch(word, among: verbs) {
        case .unknown:
            return refuse(word, path: path)
        case .ambiguous(let names):
            context.complain("“\(word)” is ambiguous: \(names.joined(separator: ", "))")
            return ExitStatus.failure
        case .found(let verb): return try run(verb, Array(arguments.dropFirst()), path: "\(path) \(verb.name)")
        }
    }

    private func run(_ verb: Verb, _ arguments: [String], path: String) throws -> Int32 {
        let usage = "Usage: \(path) \(verb.usage)\n"
        switch verb.action {
        case .help: return try HelpText(output: context.output).show(arguments, context)
        case .command(let type): return try run(type, arguments, usage: usage)
        case .mac(let verb): return try run(verb, arguments)
        case .group(let verbs):
            if let first = arguments.first, !first.hasPrefix("-") {
                return try run(arguments, among: verbs, path: path)
            }
            if let first = arguments.first, ["-h", "--help"].contains(first) {
                try context.output.write(HelpText(output: context.output).text(of: verb, path: path))
                return ExitStatus.success
            }
            context.complain("\(verb.name) needs a verb of its own", usage: usage)
            return ExitStatus.usage
        }
    }

    /// Runs a verb as macOS's command does, except for `--help`, which has no meaning there.
    private func run(_ verb: MacVerb, _ words: [String]) throws -> Int32 {
        if words.first == "--help" {
            try context.output.write(verb.text)
            return ExitStatus.success
        }
        do {
            return try verb.run(MacArguments(words, of: verb), context)
        } catch let usage as MacUsage {
            if let text = usage.text { context.complain(text) }
            try context.errors.write(verb.text)
            return ExitStatus.usage
        } catch let failure as MacFailure {
            failure.report(in: context)
            return failure.exitStatus ?? ExitStatus.of(failure.error.status)
        } catch let error as KeychainError {
            context.complain(Self.text(of: error))
            return ExitStatus.of(error.status)
        } catch ToolError.usage(let text) {
            context.complain(text)
            try context.errors.write(verb.text)
            return ExitStatus.usage
        } catch ToolError.failure(let text, let exitStatus) {
            context.complain(text)
            return exitStatus
        }
    }

    private func run<Command: ToolCommand>(_ type: Command.Type, _ arguments: [String], usage: String) throws -> Int32 {
        let help = HelpText(output: context.output)
        let options = arguments.prefix { $0 != "--" }
        if options.contains(where: ["-h", "--help"].contains) {
            try context.output.write(help.text(of: type))
            return ExitStatus.success
        }
        if let word = options.first(where: Self.foreignOptions.contains) {
            context.complain("Unknown option '\(word)'", usage: usage)
            return ExitStatus.usage
        }
        let command: Command
        do {
            command = try type.parse(arguments)
        } catch {
            // ArgumentParser may list several readings of a word, a line each.
            let readings = type.message(for: error).split(whereSeparator: \.isNewline)
            context.complain(readings.map { $0.drop { $0 == " " } }.joined(separator: ", "), usage: usage)
            return ExitStatus.usage
        }
        do {
            return try command.run(in: context)
        } catch let error as KeychainError {
            context.complain(Self.text(of: error))
            return ExitStatus.of(error.status)
        } catch ToolError.usage(let text) {
            context.complain(text, usage: usage)
            return ExitStatus.usage
        } catch ToolError.failure(let text, let exitStatus) {
            context.complain(text)
            return exitStatus
        }
    }

    /// Reports an unknown verb with a suggestion, if there is one, and returns the exit status.
    func refuse(_ word: String, path: String) -> Int32 {
        if path == "security" {
            if let verb = AbsentVerb.named(word) {
                context.complain("“\(word)” is a verb of macOS; \(verb.answer)")
                return ExitStatus.failure
            }
            let inner = Verb.all.filter { $0.verbs.contains { $0.name == word } }.map { "security \($0.name) \(word)" }
            if !inner.isEmpty {
                context.complain("“\(word)” is no verb of security; there is \(inner.joined(separator: ", "))")
                return ExitStatus.failure
            }
        }
        context.complain("“\(word)” is no verb of \(path); see security help")
        return ExitStatus.failure
    }

    /// The name of the status and the reason; without a reason, the general meaning of the status.
    static func text(of error: KeychainError) -> String {
        let entry = StatusCatalogue.entry(for: error.status.rawValue)
        let name = entry?.name ?? "OSStatus \(error.status.rawValue)"
        let sentence = error.reason.isEmpty ? entry?.message ?? "" : error.reason
        return sentence.isEmpty ? name : "\(name): \(sentence)"
    }
}
