import ChatelaineModel

/// A search in file keychains, as the options of our own verbs say it.
struct KeychainItemSearch {
    private(set) var query: ItemQuery
    private(set) var scope: KeychainScope

    /// - Parameter paths: empty for the search list.
    init(_ search: SearchOptions, in paths: [String]) throws {
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

    /// Whether only items of the data protection keychain have what is searched for.
    var isOfOtherKeychain: Bool {
        query.accessGroup != nil || query.accessibility != nil || query.constraints != .any || query.identifier != nil
    }

    /// The items; none where nothing matches.
    func items(in context: ToolContext) throws -> [KeychainItem] {
        let (keychain, query, scope) = (context.keychain, query, scope)
        return try context.progress.watch("searching") { () throws(KeychainError) in
            do throws(KeychainError) { return try keychain.find(query, in: scope) } catch {
                guard error.status == .itemNotFound else { throw error }
                return []
            }
        }
    }

    /// Those that have access objects in each of some keychains; what of the search list is not there, or is not opened by this version, has none.
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
