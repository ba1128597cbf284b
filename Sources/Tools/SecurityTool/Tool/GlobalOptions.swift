/// The options before the verb, which are those of macOS's tool.
struct GlobalOptions: Equatable {
    static let prompt = "security> "

    var isInteractive = false
    var prompt = Self.prompt
    /// Whether failures of commands in the interactive mode are not reported.
    var isQuiet = false
    /// Whether each command is shown on standard error before it runs.
    var isVerbose = false
    /// The verb and its arguments.
    var words: [String]

    /// Nil for an unknown option, or one without its argument.
    ///
    /// Letters may be combined, as getopt(3) allows. `-R` tells macOS's tool to omit what this one never does. `-l`
    /// tells it to look for leaks, for which this one has tests. Neither has an effect here.
    init?(_ arguments: [String]) {
        words = arguments
        while let word = words.first, word.hasPrefix("-"), word != "-" {
            words.removeFirst()
            if word == "--" { return }
            var letters = word.dropFirst()
            while let letter = letters.popFirst() {
                switch letter {
                case "i": isInteractive = true
                case "q": isQuiet = true
                case "v": isVerbose = true
                case "l", "R": break
                case "p":
                    if !letters.isEmpty {
                        prompt = String(letters)
                    } else if let next = words.first {
                        prompt = next
                        words.removeFirst()
                    } else {
                        return nil
                    }
                    isInteractive = true
                    letters = ""
                default: return nil
                }
            }
        }
    }
}
