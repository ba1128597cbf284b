/// The spellings of a verb: the whole name, and the beginnings that mean it.
///
/// A beginning means a verb if no other verb has it. If only verbs of macOS have it, it means the first of them
/// (`VerbMatch`).
enum VerbPrefixes {
    static func of(_ verb: Command, among verbs: [Command]) -> [String] {
        (1...verb.name.count).map { String(verb.name.prefix($0)) }.filter { prefix in
            let matches = verbs.filter { $0.name.hasPrefix(prefix) }
            if verbs.contains(where: { $0.name == prefix }) { return prefix == verb.name }
            return matches.count == 1 || (matches.allSatisfy(\.isApples) && matches.first?.name == verb.name)
        }
    }

    /// The spellings of every verb after its parents, and its full path.
    static func steps(_ command: Command) -> [(spellings: [String], path: String)] {
        command.verbs.flatMap { verb in
            [(of(verb, among: command.verbs).map { "\(command.words) \($0)" }, verb.words)] + steps(verb)
        }
    }
}
