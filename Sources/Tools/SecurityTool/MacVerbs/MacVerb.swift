/// A verb of macOS's `security`: words, options, output, streams and exit status are Apple's, for scripts from there.
///
/// Each verb is a row of a table, from which help, usage errors, completions and the manual page are made.
/// ``MacArguments`` parses the options as macOS's getopt(3) does.
struct MacVerb: Sendable {
    let name: String
    /// The usage line after the name, as Apple has it.
    let usage: String
    /// A sentence with its full stop, which help and manual page show as it is.
    let summary: String
    var options: [MacOption] = []
    /// The arguments after the options.
    var operands = MacOperands.none
    /// Returns the exit status.
    ///
    /// Throws ``MacFailure``, ``MacUsage``, `KeychainError`, ``ToolError`` and ``OutputError``.
    let run: @Sendable (MacArguments, ToolContext) throws -> Int32

    /// Every verb, in the order of Apple's table; a prefix selects the first verb that matches.
    static let all = keychains + items + certificates + messages + trust

    /// The text of `help`, which also answers wrong usage.
    var text: String {
        let column = options.map(\.term.count).max() ?? 0
        return "Usage: \(name) \(usage)\n"
            + options.map { "    \(Columns.padded($0.term, to: column))  \($0.help)\n" }.joined()
            + "        \(summary)\n"
    }
}

/// An option: a letter after a dash.
struct MacOption: Sendable, Equatable {
    enum Value: Sendable, Equatable {
        case none
        /// A value in the same word or the next one, with its name for people.
        case one(String)
        /// A value that may be missing if the option is the last word; it is asked for then.
        case oneOrAsked(String)
        /// A value that is missing if the option is the last word, or if the next word is an option.
        case oneOrNone(String)
        /// Two values in the words after the letter.
        case two(String)
    }

    let letter: Character
    let value: Value
    let help: String
    /// Whether the value is a path, for completions.
    let isFile: Bool

    init(_ letter: Character, _ help: String) { self.init(letter, .none, help) }

    init(_ letter: Character, _ value: Value, isFile: Bool = false, _ help: String) {
        self.letter = letter
        self.value = value
        self.isFile = isFile
        self.help = help
    }

    /// The name of the value; nil if the option has none.
    var valueName: String? {
        switch value {
        case .none: nil
        case .one(let name), .oneOrAsked(let name), .oneOrNone(let name), .two(let name): name
        }
    }

    fileprivate var term: String { "-\(letter)" + (valueName.map { " \($0)" } ?? "") }
}

/// The number of arguments after the options, and their name.
enum MacOperands: Sendable, Equatable {
    case none
    case atMostOne(String)
    case any(String)
    /// One required argument, which comes before the options.
    case first(String)

    var valueName: String? {
        switch self {
        case .none: nil
        case .atMostOne(let name), .any(let name), .first(let name): name
        }
    }
}
