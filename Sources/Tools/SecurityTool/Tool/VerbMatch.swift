/// What a word means among verbs: an exact name wins, else the one name that begins with it; of macOS's verbs the first one that does, if no other
/// verb begins so (behaviour/security-command.md, 1).
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
