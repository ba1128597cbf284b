import ArgumentParser
import ChatelaineModel

/// Names attributes on the command line and in JSON, and converts their values there.
enum AttributeWord {
    static let invisible = "invi"
    static let negative = "nega"
    static let port = "port"

    /// The names and their keys, in the order in which an item is shown.
    static let names: [(name: String, key: String)] = [
        ("service", "svce"), ("server", "srvr"), ("account", "acct"), ("label", "labl"), ("description", "desc"),
        ("comment", "icmt"), ("generic", "gena"), ("protocol", "ptcl"), ("port", port), ("path", "path"),
        ("security-domain", "sdmn"), ("authentication-type", "atyp"), ("creator", "crtr"), ("type", "type"),
        ("invisible", invisible), ("negative", negative), ("group", "agrp"), ("accessible", "pdmn"),
        ("access-control", "accc"), ("synchronizable", "sync"), ("created", "cdat"), ("modified", "mdat"),
    ]

    /// The key for a name, or for a key itself.
    static func key(_ word: String) throws(ToolError) -> String {
        // Any other word of four characters is a key itself.
        if let match = names.first(where: { $0.name == word }) { return match.key }
        guard word.utf8.count == 4, AttributeKey(word) != nil else {
            throw .usage("“\(word)” is no attribute; it is one of \(known), or a key of four characters")
        }
        return word
    }

    /// The name of a key, or the key if it has no name.
    static func name(of key: String) -> String { names.first { $0.key == key }?.name ?? key }

    /// Completions for assignments.
    static var completion: CompletionKind { .list(names.map { $0.name + "=" }) }

    private static var known: String { names.map(\.name).joined(separator: ", ") }

    /// The value of an attribute for its text on the command line.
    static func value(_ text: String, for key: String) throws(ToolError) -> QueryValue {
        switch key {
        case "crtr", "type": return try code(text, key)
        case port: return try number(text, key, Self.ports)
        case "pdmn": return .text(try AccessibilityWord.stored(text))
        case "accc":
            let constraints = try AccessControlWord.constraints(text)
            return .accessControl(AccessControl(protection: .whenUnlocked, constraints: constraints))
        case "sync":
            if text == "any" { return .text("syna") }
            return try boolean(text, key)
        case invisible, negative: return try boolean(text, key)
        case "cdat", "mdat":
            guard let seconds = DateText.seconds(text) else {
                throw .usage("\(name(of: key)) takes a date such as 2026-11-21 or 2026-11-21T08:30:00Z")
            }
            return .date(seconds)
        default:
            guard let words = CodeWords.of(key), !isMarked(text) else { return try plain(text) }
            guard let code = words.code(text) else {
                throw .usage("\(name(of: key)) is one of \(words.words.joined(separator: ", ")), or text:… for another")
            }
            return .text(code)
        }
    }

    /// The text of a value for people, which the command line accepts as the same value.
    static func text(_ value: AttributeValue, for key: String, isNumber: Bool = false) -> String {
        switch value {
        case .number(let number) where isFlag(key) && (0...1).contains(number): return number == 1 ? "yes" : "no"
        case .number(let number) where key == "crtr" || key == "type": return code(number)
        case .number(let number): return (isNumber ? "" : "int:") + String(number)
        case .data(let bytes): return "hex:" + Hexadecimal.text(of: bytes)
        case .date(let seconds): return DateText.text(seconds) ?? "\(seconds)"
        case .text(let text):
            if let words = CodeWords.of(key) {
                return words.word(of: text) ?? "text:" + Printable.text(text)
            }
            return (isNumber || isMarked(text) ? "text:" : "") + Printable.text(text)
        }
    }

    static func isFlag(_ key: String) -> Bool { key == invisible || key == negative }

    /// The ports of TCP and UDP (RFC 9293, section 3.1); programs store 0 if there is none.
    private static let ports: ClosedRange<Int64> = 0...65_535

    private static func isMarked(_ text: String) -> Bool {
        ["text:", "hex:", "int:"].contains { text.hasPrefix($0) }
    }

    /// Converts `hex:` to data, `int:` to a number and `text:` to the text after it; any other text stays as it is.
    private static func plain(_ text: String) throws(ToolError) -> QueryValue {
        if text.hasPrefix("text:") { return .text(String(text.dropFirst(5))) }
        if text.hasPrefix("hex:") {
            guard let bytes = Hexadecimal.bytes(of: text.utf8.dropFirst(4)) else {
                throw .usage("“hex:” wants an even number of hexadecimal digits behind it")
            }
            return .data(bytes)
        }
        if text.hasPrefix("int:") {
            guard let number = Int64(text.dropFirst(4)) else { throw .usage("“int:” wants a decimal number behind it") }
            return .number(number)
        }
        return .text(text)
    }

    private static func number(
        _ text: String, _ key: String, _ range: ClosedRange<Int64>
    ) throws(ToolError) -> QueryValue {
        guard !isMarked(text) else { return try plain(text) }
        guard let number = Int64(text), range.contains(number) else {
            throw .usage("\(name(of: key)) is a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return .number(number)
    }

    /// Converts four bytes to a code, and `0x…` and `int:…` to a number.
    private static func code(_ text: String, _ key: String) throws(ToolError) -> QueryValue {
        if text.hasPrefix("int:") { return try plain(text) }
        if text.hasPrefix("0x"), text.utf8.count > 4, let number = UInt32(text.dropFirst(2), radix: 16) {
            return .number(Int64(number))
        }
        // Four such characters may be meant as a code or as a number.
        guard text.utf8.count == 4, !text.hasPrefix("0x") else {
            throw .usage(
                "\(name(of: key)) is a code of exactly four bytes (pad one of three with a blank), 0x… or int:…")
        }
        return .number(text.utf8.reduce(0) { $0 << 8 | Int64($1) })
    }

    /// The four characters that a number stands for, or `int:` and the number if it stands for none.
    private static func code(_ number: Int64) -> String {
        guard let raw = UInt32(exactly: number) else { return "int:\(number)" }
        let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: raw >> $0) }
        let text = String(decoding: bytes, as: UTF8.self)
        let isCode = bytes.allSatisfy { (0x20...0x7E).contains($0) } && text != "int:" && !text.hasPrefix("0x")
        return isCode ? text : "int:\(number)"
    }

    private static func boolean(_ text: String, _ key: String) throws(ToolError) -> QueryValue {
        switch text {
        case "yes", "true", "1": return .number(1)
        case "no", "false", "0": return .number(0)
        default:
            let words = key == "sync" ? "yes, no or any" : "yes or no"
            throw .usage("\(name(of: key)) is \(words)")
        }
    }
}
