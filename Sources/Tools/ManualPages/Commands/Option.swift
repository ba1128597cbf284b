/// An option, a flag or an operand.
struct Option: Equatable {
    /// The values that shells suggest.
    enum Values: Equatable {
        case anything
        case words([String])
        case files
        /// The lines that a command prints.
        case lines(of: String)
    }

    /// The names with their dashes; empty for an operand.
    var names: [String]
    /// Nil for a flag.
    var valueName: String?
    var help: String
    var isRepeating = false
    var values = Values.anything
}
