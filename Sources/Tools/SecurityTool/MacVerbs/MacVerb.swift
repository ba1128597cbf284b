/// A verb as macOS's `security` has it: words, options, output, streams and exit status are Apple's, for scripts that were written there.
///
/// It is a row of a table. Help, usage errors, completions and the manual page come from what the row says; options are read as getopt(3) of
/// macOS reads them (``MacArguments``).
struct MacVerb: Sendable {
    let name: String
    /// What follows the name in the usage line, as Apple has it.
    let usage: String
    /// A sentence without its full stop would not be one: help lists and pages show it as it is.
    let summary: String
    var options: [MacOption] = []
    /// What stands behind the options.
    var operands = MacOperands.none
    /// Returns the exit status; throws ``MacFailure``, ``MacUsage``, `KeychainError`, ``ToolError`` and ``OutputError``.
    let run: @Sendable (MacArguments, ToolContext) throws -> Int32

    /// Every one, in the order of Apple's table: of several that begin so, the first is meant.
    static let all = keychains + items + certificates + messages + trust

    /// What `help` shows, and what wrong usage is answered with.
    var text: String {
        let column = options.map(\.term.count).max() ?? 0
        return "Usage: \(name) \(usage)\n"
            + options.map { "    \(Columns.padded($0.term, to: column))  \($0.help)\n" }.joined()
            + "        \(summary)\n"
    }
}

/// A letter behind a dash.
struct MacOption: Sendable, Equatable {
    enum Value: Sendable, Equatable {
        case none
        /// In the same word or the next one; the name is for people.
        case one(String)
        /// The same, but as the last word of all it may come without, to be asked for.
        case oneOrAsked(String)
        /// Two words, which follow the letter.
        case two(String)
    }

    let letter: Character
    let value: Value
    let help: String
    /// Whether its value is the path of a file, for completions.
    let isFile: Bool

    init(_ letter: Character, _ help: String) { self.init(letter, .none, help) }

    init(_ letter: Character, _ value: Value, isFile: Bool = false, _ help: String) {
        self.letter = letter
        self.value = value
        self.isFile = isFile
        self.help = help
    }

    /// What its value is called; nil where it has none.
    var valueName: String? {
        switch value {
        case .none: nil
        case .one(let name), .oneOrAsked(let name), .two(let name): name
        }
    }

    fileprivate var term: String { "-\(letter)" + (valueName.map { " \($0)" } ?? "") }
}

/// How many words may stand behind the options, and what they are.
enum MacOperands: Sendable, Equatable {
    case none
    case atMostOne(String)
    case any(String)
    /// One, which has to be there and stands before the options.
    case first(String)

    var valueName: String? {
        switch self {
        case .none: nil
        case .atMostOne(let name), .any(let name), .first(let name): name
        }
    }
}
