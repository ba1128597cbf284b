/// The texts of `security help`.
struct HelpText {
    /// Apple's column of the summaries.
    private static let summaryColumn = 36

    /// Width where nobody looks, so that the text is the same everywhere.
    private static let plainColumns = 80

    let output: Output

    /// Nil: as wide as the terminal.
    var columns: Int? { output.isTerminal ? nil : Self.plainColumns }

    /// Usage and the list of verbs.
    static var list: String {
        "Usage: security [-h] [--version] [verb] [argument...]\n" + lines(of: Verb.all)
            + "A verb may be shortened as long as it stays the only one. “security VERB --help” shows its options.\n"
    }

    private static func lines(of verbs: [Verb]) -> String {
        verbs.map { "    " + Columns.padded($0.name, to: summaryColumn) + " \($0.summary)\n" }.joined()
    }

    /// The usage of one verb, and its own verbs where it has some.
    static func text(of verb: Verb, path: String) -> String {
        var text = "Usage: \(path) \(verb.usage)\n        \(verb.summary)\n"
        if case .group(let verbs) = verb.action { text += lines(of: verbs) }
        return text
    }

    /// Shows what the words name: each a verb, or a verb of the verb before it.
    func show(_ words: [String], _ context: ToolContext) throws -> Int32 {
        guard !words.isEmpty else {
            try output.write(Self.list)
            return ExitStatus.success
        }
        var exitStatus = ExitStatus.success
        var index = 0
        while index < words.count {
            guard case .found(var verb) = VerbMatch(words[index], among: Verb.all) else {
                try context.errors.write("security: no such verb: \(Printable.text(words[index]))\n")
                exitStatus = ExitStatus.failure
                index += 1
                continue
            }
            var path = "security \(verb.name)"
            index += 1
            if index < words.count, case .group(let verbs) = verb.action,
                case .found(let inner) = VerbMatch(words[index], among: verbs)
            {
                verb = inner
                path += " \(verb.name)"
                index += 1
            }
            if case .command(let type) = verb.action, path.split(separator: " ").count > 2 {
                try output.write(type.helpMessage(columns: columns))
            } else {
                try output.write(Self.text(of: verb, path: path))
            }
        }
        return exitStatus
    }
}
