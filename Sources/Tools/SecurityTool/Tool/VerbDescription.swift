import ArgumentParser

/// A verb as manual page and completions need it: what ``Verb`` says, and the type that knows the options.
package struct VerbDescription: Sendable {
    package let name: String
    /// What follows the name in the usage line.
    package let usage: String
    package let summary: String
    /// The command of this verb; nil for `help` and for a verb that has verbs of its own.
    package let command: (any ParsableCommand.Type)?
    package let verbs: [VerbDescription]

    init(_ verb: Verb) {
        name = verb.name
        usage = verb.usage
        summary = verb.summary
        switch verb.action {
        case .command(let type):
            command = type
            verbs = []
        case .group(let inner):
            command = nil
            verbs = inner.map(VerbDescription.init)
        case .help:
            command = nil
            verbs = []
        }
    }
}

extension SecurityTool {
    /// Every verb, in the order of the help list.
    package static var verbs: [VerbDescription] { Verb.all.map(VerbDescription.init) }

    /// The options that say which item is meant, shared by the commands about items.
    package static var attributes: any ParsableArguments.Type { AttributeOptions.self }
}
