/// What a word means among verbs: an exact name wins, else the one name that begins with it
/// (behaviour/security-command.md, 1).
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
        switch matches.count {
        case 0: self = .unknown
        case 1: self = .found(matches[0])
        default: self = .ambiguous(matches.map(\.name))
        }
    }
}
