import ChatelaineModel

/// A search in file keychains, made from the options of our own verbs.
struct KeychainItemSearch {
    private(set) var query: ItemQuery
    private(set) var scope: KeychainScope

    /// - Parameter paths: the keychains; empty for the search list.
    init(_ search: ItemSearch, in paths: [String]) throws {
        scope = KeychainScope(paths: paths)
        if let item = search.keychainItem {
            query = ItemQuery(itemClass: item.item.itemClass)
            scope.items = [item]
        } else {
            query = try QueryParser.query(try search.pairs(), for: .find)
        }
        query.limit = .all
        query.returns = [.attributes]
    }

    /// Whether the search has conditions that only items of the data protection keychain meet.
    var isOfOtherKeychain: Bool {
        query.accessGroup != nil || query.accessibility != nil || query.constraints != .any || query.identifier != nil
    }

    /// The items; empty if there are none.
    func items(in context: ToolContext) throws -> [KeychainItem] {
        let (keychain, query, scope) = (context.keychain, query, scope)
        return try context.progress.watch("searching") { () throws(KeychainError) in
            do throws(KeychainError) { return try keychain.find(query, in: scope) } catch {
                guard error.status == .itemNotFound else { throw error }
                return []
            }
        }
    }

    /// The items with access objects in a keychain.
    ///
    /// It is empty for a keychain of the search list that does not exist, or that this version does not open.
    static func all(
        in path: String, isNamed: Bool, _ context: ToolContext
    ) throws(KeychainError) -> [KeychainItem] {
        var items: [KeychainItem] = []
        for itemClass in [ItemClass.genericPassword, .internetPassword, .key] {
            var query = ItemQuery(itemClass: itemClass)
            query.returns = [.attributes]
            query.limit = .all
            do throws(KeychainError) {
                items += try context.keychain.find(query, in: KeychainScope(paths: [path]))
            } catch {
                let isAbsent = error.status == .noSuchKeychain || error.status == .unimplemented
                guard error.status == .itemNotFound || isAbsent && !isNamed else { throw error }
            }
        }
        return items
    }
}
