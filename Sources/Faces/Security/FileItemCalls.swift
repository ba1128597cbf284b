import ChatelaineIPC
import ChatelaineModel

/// The four calls of SecItem where a dictionary means file keychains.
enum FileItemCalls {
    static func add(_ pairs: [ItemCalls.Pair]) throws(KeychainError) -> ResultTree? {
        var (terms, item) = try FileKeychainTerms.newItem(pairs)
        complete(pairs, &item.authenticationUI, &item.prompt)
        let added = try KeychainClient.shared.call(AddKeychainItem(item, to: terms.keychain))
        return ResultTree.shape(added: added, for: item.returns)
    }

    static func find(_ pairs: [ItemCalls.Pair], hasPlace: Bool) throws(KeychainError) -> ResultTree? {
        var (terms, query) = try FileKeychainTerms.query(pairs, for: .find)
        if !hasPlace {
            query.returns = []
            query.limit = .one
        }
        complete(pairs, &query.authenticationUI, &query.prompt)
        return ResultTree.shape(try KeychainClient.shared.find(query, in: terms.scope), for: query)
    }

    static func update(_ pairs: [ItemCalls.Pair], _ changes: [ItemCalls.Pair]) throws(KeychainError) {
        var (terms, query) = try FileKeychainTerms.query(pairs, for: .update)
        let (change, access) = try FileKeychainTerms.change(changes, of: query.itemClass)
        complete(pairs, &query.authenticationUI, &query.prompt)
        let client = KeychainClient.shared
        if let access {
            // Each item says by itself who may change that.
            var named = query
            named.limit = .all
            for item in try client.find(named, in: terms.scope) {
                try client.setAccess(access, of: item.reference, in: item.path, query.authenticationUI)
            }
            guard !change.isEmpty else { return }
        }
        try client.update(query, change, in: terms.scope)
    }

    static func delete(_ pairs: [ItemCalls.Pair]) throws(KeychainError) {
        var (terms, query) = try FileKeychainTerms.query(pairs, for: .delete)
        complete(pairs, &query.authenticationUI, &query.prompt)
        try KeychainClient.shared.delete(query, in: terms.scope, asksPerson: false)
    }

    /// What the dictionary's context, and the process as a whole, say about asking a person.
    private static func complete(
        _ pairs: [ItemCalls.Pair], _ ui: inout AuthenticationUI, _ prompt: inout OperationPrompt?
    ) {
        CallContext.of(pairs)?.complete(&ui, &prompt)
        if !UserInteraction.isAllowed, ui == .allow { ui = .fail }
    }
}
