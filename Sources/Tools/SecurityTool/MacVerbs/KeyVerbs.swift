import ChatelaineModel

/// `find-key` and `create-keypair`.
enum KeyVerbs {
    private static let flags: [(Character, AttributeKey, String)] = [
        ("d", .canDecrypt, "decrypt"), ("e", .canEncrypt, "encrypt"), ("r", .canDerive, "derive"),
        ("s", .canSign, "sign"),
        ("u", .canUnwrap, "unwrap"), ("v", .canVerify, "verify"), ("w", .canWrap, "wrap"),
    ]

    /// The options about a key, which all verbs about keys share.
    static let options =
        [
            MacOption("a", .one("label"), "Application label: its bytes, or hexadecimal digits of a SHA-1."),
            MacOption("c", .one("creator"), "Creator, four characters."),
            MacOption("D", .one("kind"), "Kind, which no key has: nothing matches."),
            MacOption("j", .one("comment"), "Comment, which no key has either."),
            MacOption("l", .one("label"), "Label."),
            MacOption("t", .one("kind"), "symmetric, public or private."),
        ] + flags.map { MacOption($0.0, "Can \($0.2).") }

    /// The search for keys that the options describe.
    ///
    /// - Throws: ``ToolError`` for an invalid code, ``MacUsage`` for an invalid kind.
    static func query(_ arguments: MacArguments) throws -> ItemQuery {
        var query = ItemQuery(itemClass: .key)
        (query.returns, query.limit) = ([.attributes], .all)
        if let text = arguments.value(of: "a") { query.attributes[.applicationLabel] = .data(label(text)) }
        if let text = arguments.value(of: "l") { query.attributes[.label] = .text(text) }
        if let text = arguments.value(of: "c") {
            query.attributes[.creator] = .number(try ItemMatch.number(of: text))
        }
        if let text = arguments.value(of: "t") {
            let halves: [String: KeyHalf] = ["public": .publicKey, "private": .privateKey, "symmetric": .symmetric]
            guard let half = halves[text] else { throw MacUsage("\(text) is no kind of key") }
            query.attributes[.keyClass] = .number(half.rawValue)
        }
        for (letter, key, _) in flags where arguments.has(letter) { query.attributes[key] = .number(1) }
        return query
    }

    private static func label(_ text: String) -> [UInt8] {
        let digits = text.utf8.compactMap(Hexadecimal.value)
        guard digits.count == 2 * CertificateKey.hashBytes, digits.count == text.utf8.count else {
            return Array(text.utf8)
        }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    /// Whether nothing can match: no key has a kind or a comment, here or on macOS
    /// (behaviour/attributes-and-dates.md, 1).
    static func hasNone(_ arguments: MacArguments) -> Bool { arguments.has("D") || arguments.has("j") }

    static func find(_ arguments: MacArguments, _ context: ToolContext) throws -> Int32 {
        let query = try query(arguments)
        let search = try CertificateSearch(arguments.operands, in: context)
        let found = try MacVerb.calling("SecItemCopyMatching", exitStatus: ExitStatus.failure) {
            () throws(KeychainError) in
            let found = hasNone(arguments) ? [] : try search.items(.key, [.attributes], query.attributes)
            guard !found.isEmpty else { throw KeychainError(.itemNotFound, "no key matches") }
            return found
        }
        for item in found { try context.write(ItemRecord(item, isForTerminal: context.output.isTerminal)) }
        return ExitStatus.success
    }

    // MARK: Making

    /// The kinds of keys that can be made; macOS's other kinds do not exist here.
    private static let kinds: [String: (kind: KeyKind, bits: UInt32)] = ["rsa": (.rsa, 2048), "ec": (.ec, 256)]

    static func create(_ arguments: MacArguments, _ context: ToolContext) throws -> Int32 {
        guard let kind = kinds[arguments.value(of: "a") ?? "rsa"] else {
            throw ToolError.failure("keys of that kind are not made here: there are rsa and ec")
        }
        guard !arguments.has("f"), !arguments.has("t"), !arguments.has("d") else {
            throw ToolError.failure("keys are valid for ever here; leave -f, -t and -d out")
        }
        var bits = kind.bits
        if let text = arguments.value(of: "s") {
            guard let number = UInt32(text) else { throw MacUsage("\(text) is no size") }
            bits = number
        }
        let path = try arguments.value(of: "k").map { name throws(MacFailure) in
            try MacVerb.calling("SecKeychainOpen", name, exitStatus: ExitStatus.failure) {
                () throws(KeychainError) in try context.path(ofKeychain: name).text
            }
        }
        let label = arguments.operands.first ?? ""
        let access = try AccessOptions(arguments, context)
        let made = try MacVerb.calling("SecKeyCreatePair", exitStatus: ExitStatus.failure) {
            () throws(KeychainError) -> KeychainItem in
            var pair = NewKeyPair(
                kind: kind.kind, bits: bits, privateKey: try item(.privateKey, kind.kind, bits, label),
                publicKey: try item(.publicKey, kind.kind, bits, label))
            pair.privateKey.access = access.access(named: label)
            pair.privateKey.returns = arguments.has("H") ? .attributes : []
            return try context.keychain.makeKey(pair, in: path)
        }
        if arguments.has("H"), case .data(let hash)? = made.item.attributes[.applicationLabel] {
            try context.output.write(Hexadecimal.text(of: hash).uppercased() + "\n")
        }
        return ExitStatus.success
    }

    private static func item(
        _ half: KeyHalf, _ kind: KeyKind, _ bits: UInt32, _ label: String
    ) throws(KeychainError) -> NewItem {
        var item = try QueryParser.newItem([
            ("class", .text(ItemClass.key.name)), ("kcls", .number(half.rawValue)), ("type", .number(kind.appleType)),
            ("bsiz", .number(Int64(bits))), ("perm", .number(1)), ("labl", .text(label)),
        ])
        item.keyKind = kind
        item.returns = []
        return item
    }
}
