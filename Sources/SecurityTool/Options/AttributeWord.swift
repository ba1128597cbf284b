import ArgumentParser
import ChatelaineModel

/// The names that attributes have on the command line and in JSON, and how their values are written there.
enum AttributeWord {
    static let invisible = "invi"
    static let negative = "nega"

    /// Names and their keys, in the order in which an item is shown.
    static let names: [(name: String, key: String)] = [
        ("service", "svce"), ("server", "srvr"), ("account", "acct"), ("label", "labl"), ("description", "desc"),
        ("comment", "icmt"), ("generic", "gena"), ("protocol", "ptcl"), ("port", "port"), ("path", "path"),
        ("security-domain", "sdmn"), ("authentication-type", "atyp"), ("creator", "crtr"), ("type", "type"),
        ("invisible", invisible), ("negative", negative), ("group", "agrp"), ("accessible", "pdmn"),
        ("synchronizable", "sync"), ("created", "cdat"), ("modified", "mdat"),
    ]

    /// The key that a name, or a key itself, stands for.
    static func key(_ word: String) throws(ToolError) -> String {
        // A name of four characters is its own key in every case but these; see `names`.
        if let match = names.first(where: { $0.name == word }) { return match.key }
        guard word.utf8.count == 4, AttributeKey(word) != nil else {
            throw .usage("“\(word)” is no attribute; it is one of \(known), or a key of four characters")
        }
        return word
    }

    /// The name of a key, or the key itself where it has none.
    static func name(of key: String) -> String { names.first { $0.key == key }?.name ?? key }

    /// The beginnings of assignments, for shells.
    static var completion: CompletionKind { .list(names.map { $0.name + "=" }) }

    private static var known: String { names.map(\.name).joined(separator: ", ") }

    /// What a value on the command line means to the attribute of this key.
    static func value(_ text: String, for key: String) throws(ToolError) -> QueryValue {
        switch key {
        case "crtr", "type": return try code(text, key)
        case "ptcl": return .text(protocols[text] ?? text)
        case "atyp": return .text(authenticationTypes[text] ?? text)
        case "pdmn": return .text(try AccessibilityWord.stored(text))
        case "sync":
            if text == "any" { return .text("syna") }
            return try boolean(text, key)
        case invisible, negative: return try boolean(text, key)
        case "cdat", "mdat":
            guard let seconds = DateText.seconds(text) else {
                throw .usage("\(name(of: key)) takes a date such as 2026-11-21 or 2026-11-21T08:30:00Z")
            }
            return .date(seconds)
        default: return try plain(text)
        }
    }

    /// `hex:` data, `int:` a number, `text:` whatever follows; everything else is text as it stands.
    private static func plain(_ text: String) throws(ToolError) -> QueryValue {
        if text.hasPrefix("text:") { return .text(String(text.dropFirst(5))) }
        if text.hasPrefix("hex:") {
            guard let bytes = Hexadecimal.bytes(of: text.dropFirst(4)) else {
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

    /// Four bytes are a code, `0x…` and `int:…` a number.
    private static func code(_ text: String, _ key: String) throws(ToolError) -> QueryValue {
        if text.hasPrefix("int:") { return try plain(text) }
        if text.hasPrefix("0x"), text.utf8.count > 4, let number = UInt32(text.dropFirst(2), radix: 16) {
            return .number(Int64(number))
        }
        guard text.utf8.count == 4 else {
            // Not a usage error in Apple's tool either, which answers 1 with this hint.
            throw .failure(
                "\(name(of: key)) is a code of exactly four bytes (pad one of three with a blank), 0x… or int:…")
        }
        return .number(text.utf8.reduce(0) { $0 << 8 | Int64($1) })
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

    /// The protocols whose stored form is not their name (kSecAttrProtocol…).
    private static let protocols = [
        "ftp": "ftp ", "https": "htps", "imaps": "imps", "ipp": "ipp ", "irc": "irc ", "ldaps": "ldps", "nntps": "ntps",
        "pop3s": "pops", "smb": "smb ", "socks": "sox ", "ssh": "ssh ", "telnet": "teln", "telnets": "tels",
        "afp": "afp ",
    ]

    /// Likewise kSecAttrAuthenticationType….
    private static let authenticationTypes = [
        "default": "dflt", "http-basic": "http", "http-digest": "httd", "html-form": "form", "msn": "msna",
        "dpa": "dpaa", "rpa": "rpaa",
    ]
}
