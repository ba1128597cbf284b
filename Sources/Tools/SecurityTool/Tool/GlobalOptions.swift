/// The options before the verb, as those of macOS's tool.
struct GlobalOptions: Equatable {
    static let prompt = "security> "

    var isInteractive = false
    var prompt = Self.prompt
    /// Nothing is said of what a command of the interactive mode ends with.
    var isQuiet = false
    /// Each command is shown on standard error before it runs.
    var isVerbose = false
    /// The verb and what follows it.
    var words: [String]

    /// Nil for an option that there is not, or one without its argument.
    ///
    /// Letters may stand together, as getopt(3) reads them. `-R` asks macOS's tool to leave out what this one never does,
    /// and `-l` to look for memory that nobody has any more, which this one has tests for: neither changes anything.
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
