/// An option, a flag or an operand.
struct Option: Equatable {
    /// What shells offer as its value.
    enum Values: Equatable {
        case anything
        case words([String])
        case files
        /// The lines that this command prints.
        case lines(of: String)
    }

    /// With dashes; none for an operand.
    var names: [String]
    /// Nil for a flag.
    var valueName: String?
    var help: String
    var isRepeating = false
    var values = Values.anything
}
