/// The words behind a verb of macOS's, read as getopt(3) reads them there.
///
/// Letters may stand together behind one dash (`-lut 21600`), and a value in the same word (`-t21600`) or the next one. Options end at `--`, which is
/// left out, and at the first word that is none, which a lone dash is, too.
struct MacArguments: Sendable, Equatable {
    struct Given: Sendable, Equatable {
        let letter: Character
        /// Nil for an option without one, and for a value that is to be asked for.
        var value: String?
        /// Of one that has two.
        var second: String?
    }

    /// In the order in which they were given.
    let options: [Given]
    let operands: [String]

    /// - Throws: ``MacUsage``: `-h` and any other option that the verb does not have, one without its value, or too many operands.
    init(_ words: [String], of verb: MacVerb) throws(MacUsage) {
        var words = words[...]
        var options: [Given] = []
        var leading: [String] = []
        if case .first = verb.operands, let word = words.first, !word.hasPrefix("-") { leading = [words.removeFirst()] }
        while let word = words.first, word.hasPrefix("-"), word != "-" {
            words.removeFirst()
            if word == "--" { break }
            var letters = word.dropFirst()
            while let letter = letters.popFirst() {
                guard let option = verb.options.first(where: { $0.letter == letter }) else {
                    // Apple's verbs have no case for it either: it ends in the usage.
                    if letter == "h" { throw MacUsage() }
                    throw MacUsage("illegal option -- \(letter)")
                }
                guard option.value != .none else {
                    options.append(Given(letter: letter))
                    continue
                }
                if case .two = option.value {
                    guard letters.isEmpty, let first = words.popFirst(), let second = words.popFirst() else {
                        throw MacUsage("option requires two arguments -- \(letter)")
                    }
                    options.append(Given(letter: letter, value: first, second: second))
                } else if !letters.isEmpty {
                    options.append(Given(letter: letter, value: String(letters)))
                    letters = ""
                } else if let next = words.popFirst() {
                    options.append(Given(letter: letter, value: next))
                } else if case .oneOrAsked = option.value {
                    options.append(Given(letter: letter))
                } else {
                    throw MacUsage("option requires an argument -- \(letter)")
                }
            }
        }
        self.options = options
        operands = leading + words
        switch verb.operands {
        case .none where !operands.isEmpty, .atMostOne where operands.count > 1,
            .first where operands.count != 1:
            throw MacUsage()
        case .none, .atMostOne, .any, .first: break
        }
    }

    /// Of a verb that does by itself what another one does without options.
    static let none = MacArguments(options: [], operands: [])

    private init(options: [Given], operands: [String]) { (self.options, self.operands) = (options, operands) }

    func has(_ letter: Character) -> Bool { options.contains { $0.letter == letter } }

    /// The value that was given last; nil where there is none.
    func value(of letter: Character) -> String? { options.last { $0.letter == letter }?.value }

    /// All of them, of an option that may be repeated.
    func values(of letter: Character) -> [String] { options.filter { $0.letter == letter }.compactMap(\.value) }
}
