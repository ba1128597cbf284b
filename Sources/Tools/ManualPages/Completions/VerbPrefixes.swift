/// How a verb may be written: in full, or shortened as long as no other verb beside it begins so, or none before it where all that begin so are
/// macOS's (`VerbMatch`).
enum VerbPrefixes {
    static func of(_ verb: Command, among verbs: [Command]) -> [String] {
        (1...verb.name.count).map { String(verb.name.prefix($0)) }.filter { prefix in
            let matches = verbs.filter { $0.name.hasPrefix(prefix) }
            if verbs.contains(where: { $0.name == prefix }) { return prefix == verb.name }
            return matches.count == 1 || (matches.allSatisfy(\.isApples) && matches.first?.name == verb.name)
        }
    }

    /// For every verb: all ways to write it behind what leads to it, and the whole way in full.
    static func steps(_ command: Command) -> [(spellings: [String], path: String)] {
        command.verbs.flatMap { verb in
            [(of(verb, among: command.verbs).map { "\(command.words) \($0)" }, verb.words)] + steps(verb)
        }
    }
}
