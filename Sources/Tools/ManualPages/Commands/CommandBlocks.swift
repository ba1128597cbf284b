import DaemonOptions

/// Makes blocks of a manual page from commands and options.
enum CommandBlocks {
    /// One line for each command.
    static func synopsis(_ command: Command) -> [Block] {
        [.lines(leaves(command).map { [.strong($0.words), .text(" " + $0.usage)] })]
    }

    static func definitions(_ options: [Option]) -> [Block] {
        [.definitions(options.map { Block.Definition(term: term($0), text: [.text($0.help)]) })]
    }

    static func definitions(_ options: [DaemonOption]) -> [Block] {
        [
            .definitions(
                options.map { option in
                    let value = option.valueName.map { [Span.text(" "), .emphasis($0)] } ?? []
                    let text = option.summary.prefix(1).uppercased() + option.summary.dropFirst() + "."
                    return Block.Definition(term: [.strong(option.name)] + value, text: [.text(text)])
                })
        ]
    }

    /// A section for each command that can be run, without the options that are described elsewhere.
    static func verbs(_ command: Command, without shared: [Option]) throws -> [Block] {
        let names = Set(shared.flatMap(\.names))
        return leaves(command).filter { $0.name != "help" }.flatMap { verb in
            var blocks: [Block] = [
                .heading(level: 3, [.text(verb.words)]), .paragraph([.text(verb.summary)]),
            ]
            if !verb.discussion.isEmpty { blocks.append(.paragraph([.text(verb.discussion)])) }
            let isAboutAttributes = verb.options.contains { $0.names.contains("--attribute") }
            let own = verb.options.filter { option in
                !option.names.contains("--help") && !(isAboutAttributes && option.names.contains(where: names.contains))
            }
            // An operand without an explanation appears only in the synopsis and the discussion.
            let described = verb.operands.filter { !$0.help.isEmpty } + own
            if !described.isEmpty { blocks += definitions(described) }
            if isAboutAttributes {
                blocks.append(.paragraph([.text("And the options under "), .strong("Attributes"), .text(".")]))
            }
            return blocks
        }
    }

    /// The commands that can be run, in order; of `help` only itself.
    private static func leaves(_ command: Command) -> [Command] {
        command.verbs.flatMap { $0.name == "help" ? [$0] : $0.all.filter(\.verbs.isEmpty) }
    }

    /// The names of an option, and the name of its value.
    private static func term(_ option: Option) -> [Span] {
        var spans: [Span] = []
        for name in option.names {
            if !spans.isEmpty { spans.append(.text(", ")) }
            spans.append(.strong(name))
        }
        if let value = option.valueName { spans += (spans.isEmpty ? [] : [.text(" ")]) + [.emphasis(value)] }
        return spans
    }
}
