import ArgumentParser
import ChatelaineModel

/// Attributes as options: those of the item to add, or those that a search compares.
struct AttributeOptions: ParsableArguments {
    @Option(
        name: [.customLong("class")],
        help: "generic (unless given otherwise), internet, certificate, key or identity.")
    var itemClass: ClassWord?

    @Option(name: [.customShort("s"), .long], help: "What the password is for.")
    var service: String?
    @Option(name: [.customShort("a"), .long], help: "Whose it is.")
    var account: String?
    @Option(name: [.customShort("l"), .long], help: "The name shown to people.")
    var label: String?
    @Option(name: [.customShort("j"), .long], help: "A remark.")
    var comment: String?
    @Option(name: [.customShort("D"), .long], help: "The kind of item.")
    var description: String?
    @Option(name: .long, help: "A value of the program's own.")
    var generic: String?
    @Option(name: [.customShort("c"), .long], help: "A code of four characters, 0x… or int:….")
    var creator: String?
    @Option(name: [.customShort("C"), .long], help: "A code of four characters, 0x… or int:….")
    var type: String?

    @Option(name: .long, help: "Internet: the host.")
    var server: String?
    @Option(
        name: [.customLong("protocol")], help: "Internet: https, ssh, imap…",
        completion: .list(["http", "https", "imap", "imaps", "ftp", "ssh", "smtp", "pop3", "pop3s", "ldap", "ldaps"]))
    var protocolName: String?
    @Option(name: .long, help: "Internet: the port.")
    var port: String?
    @Option(name: .long, help: "Internet: the path on the server.")
    var path: String?
    @Option(name: .long, help: "Internet: the realm.")
    var securityDomain: String?
    @Option(
        name: .long, help: "Internet: default, http-basic, http-digest, html-form, ntlm…",
        completion: .list(["default", "http-basic", "http-digest", "html-form", "ntlm", "msn", "dpa", "rpa"]))
    var authenticationType: String?

    @Option(name: .long, help: "The access group.")
    var group: String?
    @Option(
        name: .long, help: "The protection class: when-unlocked, after-first-unlock…",
        completion: .list(Accessibility.allCases.map(AccessibilityWord.name)))
    var accessible: String?
    @Option(name: .long, help: "yes, no, or in a search any.", completion: .list(["yes", "no", "any"]))
    var synchronizable: String?
    @Flag(name: .long, help: "Not to be shown in lists.")
    var invisible = false
    @Flag(name: .long, help: "No password is to be kept here.")
    var negative = false
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Any attribute, by name or key of four characters; hex:… is data, int:… a number, text:… text.",
            valueName: "name=value"), completion: AttributeWord.completion)
    var attribute: [String] = []

    /// The attributes as pairs of a dictionary, without the class; throws ``ToolError``.
    func pairs() throws(ToolError) -> [(key: String, value: QueryValue)] {
        let options: [(String, String?)] = [
            ("svce", service), ("acct", account), ("labl", label), ("icmt", comment), ("desc", description),
            ("gena", generic), ("crtr", creator), ("type", type), ("srvr", server), ("ptcl", protocolName),
            ("port", port), ("path", path), ("sdmn", securityDomain), ("atyp", authenticationType), ("agrp", group),
            ("pdmn", accessible), ("sync", synchronizable), (AttributeWord.invisible, invisible ? "yes" : nil),
            (AttributeWord.negative, negative ? "yes" : nil),
        ]
        var list = AssignmentList()
        for (key, value) in options { if let value { try list.add(key, value) } }
        for assignment in attribute { try list.add(assignment: assignment, option: "--attribute") }
        return list.pairs
    }
}
