/// The verb that a word means (behaviour/security-command.md, 1).
///
/// An exact name wins, then the only verb that begins with the word. If only verbs of macOS begin with it, the first of
/// them wins.
enum VerbMatch {
    case found(Verb)
    case unknown
    case ambiguous([String])

    init(_ word: String, among verbs: [Verb]) {
        if let verb = verbs.first(where: { $0.name == word }) {
            self = .found(verb)
            return
        }
        let matches = word.isEmpty ? [] : verbs.filter { $0.name.hasPrefix(word) }
        guard let first = matches.first else {
            self = .unknown
            return
        }
        self = matches.count == 1 || matches.allSatisfy(\.isApples) ? .found(first) : .ambiguous(matches.map(\.name))
    }
}
