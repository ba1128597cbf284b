import ChatelaineModel

/// The items that a search means, counted before anything is done to them.
///
/// What follows is done to these items by their persistent references, and not to whatever matches by then.
struct Selection {
    let items: [FoundItem]

    /// Throws ``ToolError``, and `KeychainError` (`errSecItemNotFound` where there is none).
    init(_ pairs: [(key: String, value: QueryValue)], in context: ToolContext) throws {
        let query = try QueryParser.query(
            pairs + [("m_Limit", .text("m_LimitAll")), ("r_PersistentRef", .number(1))], for: .find)
        let keychain = context.keychain
        items = try context.progress.watch("searching") { () throws(KeychainError) in try keychain.find(query) }
    }

    /// The items, as a search of its own that brings up no other; nil for more than a query may list.
    var pairs: [(key: String, value: QueryValue)]? {
        guard items.count <= Limits.listedItems else { return nil }
        return [("u_ItemList", .array(items.map { .reference($0.persistentReference) }))]
    }

    /// One of the items, as a search of its own.
    static func pairs(of item: FoundItem) -> [(key: String, value: QueryValue)] {
        [("v_PersistentRef", .data(PersistentReference(itemClass: item.itemClass, identifier: item.identifier).bytes))]
    }

    /// Throws ``ToolError`` unless several items are wanted, or a person at the terminal says so.
    ///
    /// - Parameter verb: what would be done, such as “delete”.
    func confirm(_ verb: String, isWanted: Bool, in context: ToolContext) throws(ToolError) {
        guard items.count > 1, !isWanted else { return }
        let count = Quantity.count(items.count, "item")
        let question = "\(count) match (“security item find --all” shows them). \(verb.capitalized) them all?"
        switch Confirmation(openTerminal: context.openTerminal).ask(question) {
        case true?: return
        case false?: throw .failure("nothing was done")
        case nil: throw .failure("\(count) match; say which one is meant, or --all to \(verb) them all")
        }
    }

    /// Throws ``ToolError`` where there are several, with how many, and by which attributes they can be told apart.
    func requireOne(_ pairs: [(key: String, value: QueryValue)], in context: ToolContext) throws {
        guard items.count > 1 else { return }
        let query = try QueryParser.query(
            pairs + [("m_Limit", .number(Self.compared)), ("r_Attributes", .number(1))], for: .find)
        let differences = Self.differences(try context.keychain.find(query).map(\.attributes))
        let hint = differences.isEmpty ? "" : "--\(differences.joined(separator: ", --")), or "
        throw ToolError.failure(
            "\(items.count) items match; say which one is meant: \(hint)--persistent-ref, as find --all --json shows it"
        )
    }

    /// Items looked at for what tells them apart.
    private static let compared: Int64 = 100

    /// Options for attributes that are not the same in all, the usual ones only.
    private static func differences(_ items: [AttributeSet]) -> [String] {
        ["svce", "srvr", "acct", "ptcl", AttributeWord.port, "path", "sdmn", "atyp", "labl", "agrp"].filter { name in
            guard let key = AttributeKey(name) else { return false }
            return items.contains { $0[key] != items.first?[key] }
        }.map(AttributeWord.name)
    }
}
