import ChatelaineModel

/// The items that a search finds, counted before anything is done to them.
///
/// The next step uses their persistent references, so that it affects no item that matches only later.
struct Selection {
    let items: [FoundItem]

    /// Finds the items; throws ``ToolError``, and `KeychainError` (`errSecItemNotFound` if there are none).
    init(_ pairs: [(key: String, value: QueryValue)], in context: ToolContext) throws {
        let query = try QueryParser.query(
            pairs + [("m_Limit", .text("m_LimitAll")), ("r_PersistentRef", .number(1))], for: .find)
        let keychain = context.keychain
        items = try context.progress.watch("searching") { () throws(KeychainError) in try keychain.find(query) }
    }

    /// The items as a search for them alone; nil if there are more than a query may list.
    var pairs: [(key: String, value: QueryValue)]? {
        guard items.count <= Limits.listedItems else { return nil }
        return [("u_ItemList", .array(items.map { .reference($0.persistentReference) }))]
    }

    /// One of the items as a search for it alone.
    static func pairs(of item: FoundItem) -> [(key: String, value: QueryValue)] {
        [("v_PersistentRef", .data(PersistentReference(itemClass: item.itemClass, identifier: item.identifier).bytes))]
    }

    /// Throws ``ToolError`` for several items, unless the user wants that or confirms it at the terminal.
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

    /// Throws ``ToolError`` for several items, with their number and the attributes that differ.
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

    /// The number of items that are compared.
    private static let compared: Int64 = 100

    /// The options for those attributes that differ, limited to the usual ones.
    private static func differences(_ items: [AttributeSet]) -> [String] {
        ["svce", "srvr", "acct", "ptcl", AttributeWord.port, "path", "sdmn", "atyp", "labl", "agrp"].filter { name in
            guard let key = AttributeKey(name) else { return false }
            return items.contains { $0[key] != items.first?[key] }
        }.map(AttributeWord.name)
    }
}
