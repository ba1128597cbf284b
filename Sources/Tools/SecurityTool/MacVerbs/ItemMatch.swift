import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel

/// The items that the options of a verb of macOS's select.
struct ItemMatch {
    /// The options about an item, which all verbs about passwords share.
    static func options(_ itemClass: ItemClass) -> [MacOption] {
        let common = [
            MacOption("a", .one("account"), "Account."), MacOption("c", .one("creator"), "Creator, four characters."),
            MacOption("C", .one("type"), "Type, four characters."), MacOption("D", .one("kind"), "Kind."),
            MacOption("j", .one("comment"), "Comment."), MacOption("l", .one("label"), "Label."),
        ]
        guard itemClass == .internetPassword else {
            return common + [
                MacOption("G", .one("value"), "Generic attribute."), MacOption("s", .one("service"), "Service."),
            ]
        }
        return common + [
            MacOption("d", .one("domain"), "Security domain."), MacOption("p", .one("path"), "Path on the server."),
            MacOption("P", .one("port"), "Port."), MacOption("r", .one("protocol"), "Protocol, four characters."),
            MacOption("s", .one("server"), "Server."),
            MacOption("t", .one("type"), "Kind of authentication, four characters."),
        ]
    }

    private(set) var query: ItemQuery

    /// - Throws: ``ToolError`` for an invalid code, ``MacUsage`` for an invalid port.
    init(_ arguments: MacArguments, _ itemClass: ItemClass) throws {
        query = ItemQuery(itemClass: itemClass)
        query.attributes = try Self.attributes(arguments, itemClass)
        query.returns = [.attributes]
    }

    /// The attributes that the options give.
    static func attributes(_ arguments: MacArguments, _ itemClass: ItemClass) throws -> AttributeSet {
        var attributes = AttributeSet()
        for (letter, key) in letters(of: itemClass) {
            guard let text = arguments.value(of: letter) else { continue }
            switch key {
            case .creator, .type:
                attributes[key] = .number(try number(of: text))
            // Programs give both attributes as text.
            case .protocolType, .authenticationType:
                _ = try code(text)
                attributes[key] = .text(text)
            case .port:
                guard let port = UInt16(text) else { throw MacUsage("\(text) is no port") }
                attributes[key] = .number(Int64(port))
            case .generic: attributes[key] = .data(Array(text.utf8))
            default: attributes[key] = .text(text)
            }
        }
        return attributes
    }

    private static func letters(of itemClass: ItemClass) -> [(Character, AttributeKey)] {
        let common: [(Character, AttributeKey)] = [
            ("a", .account), ("c", .creator), ("C", .type), ("D", .itemDescription), ("j", .comment), ("l", .label),
        ]
        guard itemClass == .internetPassword else { return common + [("G", .generic), ("s", .service)] }
        return common + [
            ("d", .securityDomain), ("p", .path), ("P", .port), ("r", .protocolType), ("s", .server),
            ("t", .authenticationType),
        ]
    }

    /// The number that is stored for a code of four characters.
    static func number(of text: String) throws(ToolError) -> Int64 {
        try code(text).reduce(0) { $0 << 8 | Int64($1) }
    }

    private static func code(_ text: String) throws(ToolError) -> [UInt8] {
        guard text.utf8.count == 4 else {
            throw .failure("“\(text)” is no code of four characters; one of three has a blank behind it, as in 'ftp '")
        }
        return Array(text.utf8)
    }

    /// If all primary attributes are given, the others are ignored.
    mutating func dropBesidesPrimary() {
        let keys = AttributeSchema.of(query.itemClass).uniqueKeys
        guard keys.allSatisfy({ query.attributes[$0] != nil }) else { return }
        for entry in query.attributes.entries where !keys.contains(entry.key) { query.attributes[entry.key] = nil }
    }

    /// `delete-internet-password` of macOS reads the bytes of `-t` in reverse order, so that it finds nothing with it.
    mutating func swapAuthenticationType() {
        guard case .text(let text)? = query.attributes[.authenticationType] else { return }
        query.attributes[.authenticationType] = .text(String(decoding: text.utf8.reversed(), as: UTF8.self))
    }
}

/// Items of file keychains for the verbs.
extension ToolContext {
    /// The named keychains; those of the search list if none is named.
    func scope(_ names: [String]) throws(MacFailure) -> KeychainScope {
        var scope = KeychainScope()
        for name in names {
            scope.paths.append(
                try MacVerb.calling("SecKeychainOpen", name, exitStatus: ExitStatus.failure) {
                    () throws(KeychainError) in try path(ofKeychain: name).text
                })
        }
        return scope
    }

    /// The first item that matches, with its attributes.
    func first(_ match: ItemMatch, in scope: KeychainScope) throws(MacFailure) -> KeychainItem {
        try MacVerb.calling("SecKeychainSearchCopyNext") { () throws(KeychainError) in
            guard let item = try keychain.find(match.query, in: scope).first else {
                throw KeychainError(.itemNotFound, "no item matches")
            }
            return item
        }
    }

    /// The secret of an item; nil if it has none.
    func secret(of item: KeychainItem) throws(KeychainError) -> SecretBytes? {
        let (query, scope) = item.alone(returning: .data)
        return try keychain.find(query, in: scope).first?.item.secret
    }

    func write(_ record: ItemRecord) throws(OutputError) {
        var buffer = SecretBuffer()
        record.append(to: &buffer)
        try output.write(buffer)
    }
}

extension KeychainItem {
    /// A search for this item alone, even if its attributes have changed since.
    func alone(returning returns: ReturnTypes = []) -> (ItemQuery, KeychainScope) {
        var query = ItemQuery(itemClass: item.itemClass)
        query.returns = returns
        return (query, KeychainScope(paths: [path], items: [reference]))
    }
}

extension Output {
    func write(_ buffer: borrowing SecretBuffer) throws(OutputError) {
        var failure: OutputError?
        buffer.withUnsafeBytes { bytes in
            do throws(OutputError) { try write(bytes) } catch { failure = error }
        }
        if let failure { throw failure }
    }
}
