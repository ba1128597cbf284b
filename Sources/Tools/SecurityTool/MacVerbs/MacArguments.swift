/// The arguments of a verb of macOS, parsed as macOS's getopt(3) does.
///
/// Letters may be combined after one dash (`-lut 21600`). A value is in the same word (`-t21600`) or the next one.
/// Options end at `--`, which is dropped, and at the first word that is no option, such as a lone dash.
struct MacArguments: Sendable, Equatable {
    struct Given: Sendable, Equatable {
        let letter: Character
        /// Nil for an option without a value, and for one whose value is missing.
        var value: String?
        /// The second value of an option with two.
        var second: String?
    }

    /// The options in the given order.
    let options: [Given]
    let operands: [String]

    /// - Throws: ``MacUsage`` for `-h` and any other unknown option, for a missing value, and for too many operands.
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
                    // Apple's verbs do not know `-h` either; it shows the usage.
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
                } else if case .oneOrNone = option.value, words.first?.hasPrefix("-") ?? true {
                    options.append(Given(letter: letter))
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

    /// Arguments for a verb that another verb runs without options.
    static let none = MacArguments(options: [], operands: [])

    private init(options: [Given], operands: [String]) { (self.options, self.operands) = (options, operands) }

    func has(_ letter: Character) -> Bool { options.contains { $0.letter == letter } }

    /// The last value of an option; nil if there is none.
    func value(of letter: Character) -> String? { options.last { $0.letter == letter }?.value }

    /// All values of an option that may be repeated.
    func values(of letter: Character) -> [String] { options.filter { $0.letter == letter }.compactMap(\.value) }
}
