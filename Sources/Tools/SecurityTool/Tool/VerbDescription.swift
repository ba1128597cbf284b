import ArgumentParser

/// A verb for manual page and completions: the data of ``Verb``, and the type with the options.
package struct VerbDescription: Sendable {
    package let name: String
    /// The usage line after the name.
    package let usage: String
    package let summary: String
    /// The command of this verb; nil for `help` and for a verb that has verbs of its own.
    package let command: (any ParsableCommand.Type)?
    package let verbs: [VerbDescription]
    /// The options of a verb of macOS, which has no type; nil for all others.
    package let macOptions: [Option]?
    package let macOperand: Operand?

    package struct Option: Sendable {
        package let letter: Character
        package let valueName: String?
        package let help: String
        package let isFile: Bool
    }

    package struct Operand: Sendable {
        package let valueName: String
        package let isRepeating: Bool
    }

    init(_ verb: Verb) {
        name = verb.name
        usage = verb.usage
        summary = verb.summary
        verbs = verb.verbs.map(VerbDescription.init)
        if case .command(let type) = verb.action { command = type } else { command = nil }
        guard case .mac(let mac) = verb.action else {
            (macOptions, macOperand) = (nil, nil)
            return
        }
        macOptions = mac.options.map {
            Option(letter: $0.letter, valueName: $0.valueName, help: $0.help, isFile: $0.isFile)
        }
        macOperand = mac.operands.valueName.map {
            Operand(valueName: $0, isRepeating: mac.operands == .any($0))
        }
    }
}

extension SecurityTool {
    /// Every verb, in the order of the help list.
    package static var verbs: [VerbDescription] { Verb.all.map(VerbDescription.init) }

    /// The options that select items, shared by the commands about items.
    package static var attributes: any ParsableArguments.Type { AttributeOptions.self }
}
