import ArgumentParser
import ChatelaineModel

/// The options for attributes: of the item to add, or of those to find.
struct AttributeOptions: ParsableArguments {
    @Option(
        name: [.customLong("class")],
        help:
            "The kind of item; unless given internet, where an option for internet passwords is, and generic otherwise."
    )
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
    @Option(name: [.customShort("c"), .long], help: "A code of four bytes, 0x… or int:….")
    var creator: String?
    @Option(name: [.customShort("C"), .long], help: "A code of four bytes, 0x… or int:….")
    var type: String?

    @Option(name: .long, help: "Internet: the host.")
    var server: String?
    @Option(
        name: [.customLong("protocol")],
        help: ArgumentHelp("Internet: \(CodeWords.protocols.words.joined(separator: ", ")).", valueName: "protocol"),
        completion: .list(CodeWords.protocols.words))
    var protocolName: String?
    @Option(name: .long, help: "Internet: the port, 0 to 65535.")
    var port: String?
    @Option(name: .long, help: "Internet: the path on the server.")
    var path: String?
    @Option(name: .long, help: "Internet: the realm.")
    var securityDomain: String?
    @Option(
        name: .long, help: "Internet: \(CodeWords.authenticationTypes.words.joined(separator: ", ")).",
        completion: .list(CodeWords.authenticationTypes.words))
    var authenticationType: String?

    @Option(name: .long, help: "The access group.")
    var group: String?
    @Option(
        name: .long,
        help: "The protection class: \(Accessibility.allCases.map(AccessibilityWord.name).joined(separator: ", ")).",
        completion: .list(Accessibility.allCases.map(AccessibilityWord.name)))
    var accessible: String?
    @Option(
        name: .long,
        help: ArgumentHelp(
            "What using the secret needs besides: none, or some of "
                + "\(AccessControlFlags.names.map(\.name).joined(separator: ", ")), with commas between.",
            valueName: "flags"), completion: .list(AccessControlWord.words))
    var accessControl: String?
    @Option(
        name: .long, help: "yes, no, or in a search any; unless given no for a new item, and any in a search.",
        completion: .list(["yes", "no", "any"]))
    var synchronizable: String?
    @Flag(name: .long, help: "Not to be shown in lists.")
    var invisible = false
    @Flag(name: .long, help: "No password is to be kept here.")
    var negative = false
    @Option(
        name: .long,
        help: ArgumentHelp(
            "Any attribute, by name or key of four characters; hex:… is data, int:… a number, text:… text. All attributes of an item together have \(Limits.attributeBytes / 1024) KiB.",
            valueName: "name=value"), completion: AttributeWord.completion)
    var attribute: [String] = []

    /// The attributes as pairs of a dictionary, without the class; throws ``ToolError``.
    func pairs() throws(ToolError) -> [(key: String, value: QueryValue)] {
        let options: [(String, String?)] = [
            ("svce", service), ("acct", account), ("labl", label), ("icmt", comment), ("desc", description),
            ("gena", generic), ("crtr", creator), ("type", type), ("srvr", server), ("ptcl", protocolName),
            (AttributeWord.port, port), ("path", path), ("sdmn", securityDomain), ("atyp", authenticationType),
            ("agrp", group), ("pdmn", accessible), ("accc", accessControl), ("sync", synchronizable),
            (AttributeWord.invisible, invisible ? "yes" : nil), (AttributeWord.negative, negative ? "yes" : nil),
        ]
        var list = AssignmentList()
        for (key, value) in options { if let value { try list.add(key, value) } }
        for assignment in attribute { try list.add(assignment: assignment, option: "--attribute") }
        return list.pairs
    }

    /// The given class, or the one that has all given attributes.
    ///
    /// Throws ``ToolError`` if a generic or internet password would have an attribute that only the other has.
    ///
    /// - Parameter isAboutHosts: whether another option is for internet passwords.
    func impliedClass(
        _ pairs: [(key: String, value: QueryValue)], isAboutHosts: Bool = false
    ) throws(ToolError) -> ClassWord {
        func first(of itemClass: ItemClass, notOf other: ItemClass) -> String? {
            pairs.first { pair in
                guard let key = AttributeKey(pair.key) else { return false }
                return AttributeSchema.of(itemClass).kind(of: key) != nil
                    && AttributeSchema.of(other).kind(of: key) == nil
            }.map { AttributeWord.name(of: $0.key) }
        }
        let internet = first(of: .internetPassword, notOf: .genericPassword) ?? (isAboutHosts ? "host" : nil)
        let generic = first(of: .genericPassword, notOf: .internetPassword)
        switch (itemClass, internet, generic) {
        case (nil, let internet?, let generic?):
            throw .usage("\(internet) is for internet passwords, and \(generic) for generic ones; leave one out")
        case (.generic, let internet?, _): throw .usage("\(internet) is for internet passwords, not for generic ones")
        case (.internet, _, let generic?): throw .usage("\(generic) is for generic passwords, not for internet ones")
        case (let itemClass?, _, _): return itemClass
        case (nil, nil, _): return .generic
        case (nil, _, nil): return .internet
        }
    }
}
