import ChatelaineIPC
import ChatelaineModel

/// A keychain that stores identities.
protocol IdentityPlace {
    /// Reads the item that a dictionary describes, including what to return.
    func read(_ pairs: [ItemCalls.Pair]) throws(KeychainError) -> NewItem
    /// Whether a key is already in this keychain, as its reference says.
    ///
    /// - Throws: `errSecItemNotFound` where it was deleted since: half of an identity would be stored.
    func has(_ key: any GivenKey) throws(KeychainError) -> Bool
    /// Adds an item; nil where it exists already.
    ///
    /// - Parameter path: the path of the file that took the other half, if there is one.
    func add(_ item: NewItem, in path: String?) throws(KeychainError) -> StoredHalf?
    func remove(_ half: StoredHalf) throws(KeychainError)
    func find(_ query: ItemQuery, in path: String?) throws(KeychainError) -> ResultTree?
}

/// One half of an identity, which was just stored.
struct StoredHalf {
    let item: FoundItem
    /// The path of its file keychain.
    var path: String?
    var reference: KeychainItemReference?
}

struct DataProtectionIdentityPlace: IdentityPlace {
    let context: CallContext?

    private var caller: any KeychainCalling { context?.caller ?? KeychainClient.shared }

    func read(_ pairs: [ItemCalls.Pair]) throws(KeychainError) -> NewItem {
        var item = try QueryParser.newItem(pairs)
        context?.complete(&item.authenticationUI, &item.prompt)
        return item
    }

    func has(_ key: any GivenKey) throws(KeychainError) -> Bool {
        guard let item = key.item else { return false }
        var query = ItemQuery(itemClass: .key)
        (query.identifier, query.synchronizable) = (item.identifier, .any)
        try requireKey { () throws(KeychainError) in _ = try caller.find(query) }
        return true
    }

    func add(_ item: NewItem, in path: String?) throws(KeychainError) -> StoredHalf? {
        try ifNew { () throws(KeychainError) in StoredHalf(item: try caller.add(item)) }
    }

    func remove(_ half: StoredHalf) throws(KeychainError) {
        var query = ItemQuery(itemClass: half.item.itemClass)
        (query.identifier, query.synchronizable) = (half.item.identifier, .any)
        try caller.delete(query)
    }

    func find(_ query: ItemQuery, in path: String?) throws(KeychainError) -> ResultTree? {
        if let context { return try ItemCalls.find(query, by: context.caller, in: context) }
        return try ItemCalls.find(query, by: KeychainClient.shared)
    }
}

struct FileIdentityPlace: IdentityPlace {
    /// The path of the keychain; nil for the default keychain.
    let path: String?
    let context: CallContext?

    func read(_ pairs: [ItemCalls.Pair]) throws(KeychainError) -> NewItem {
        var item = try FileKeychainTerms.newItem(pairs).item
        try FileItemCalls.complete(context, &item.authenticationUI, &item.prompt)
        return item
    }

    func has(_ key: any GivenKey) throws(KeychainError) -> Bool {
        guard let item = key.keychainItem, let own = item.path else { return false }
        do throws(KeychainError) { guard own == (try resolved(path)) else { return false } } catch {
            // Adding an item creates the default keychain; before that it holds nothing.
            guard error.status == .noDefaultKeychain else { throw error }
            return false
        }
        try requireKey { () throws(KeychainError) in
            _ = try KeychainClient.shared.find(
                ItemQuery(itemClass: .key), in: KeychainScope(paths: [own], items: [item.reference]))
        }
        return true
    }

    func add(_ item: NewItem, in path: String?) throws(KeychainError) -> StoredHalf? {
        try ifNew { () throws(KeychainError) in
            let added = try KeychainClient.shared.call(AddKeychainItem(item, to: path ?? self.path))
            return StoredHalf(item: added.item, path: added.path, reference: added.reference)
        }
    }

    func remove(_ half: StoredHalf) throws(KeychainError) {
        guard let path = half.path, let reference = half.reference else { return }
        try KeychainClient.shared.delete(
            ItemQuery(itemClass: half.item.itemClass), in: KeychainScope(paths: [path], items: [reference]),
            asksPerson: false)
    }

    func find(_ query: ItemQuery, in path: String?) throws(KeychainError) -> ResultTree? {
        try FileItemCalls.find(query, in: KeychainScope(paths: [try resolved(path ?? self.path)]), context)
    }

    private func resolved(_ path: String?) throws(KeychainError) -> String {
        if let path { return path }
        return try DefaultKeychain.path().text
    }
}

extension IdentityPlace {
    func parsed(
        _ pairs: [ItemCalls.Pair]
    ) throws(KeychainError) -> (item: NewItem, returns: ReturnTypes) {
        var item = try read(pairs)
        let returns = item.returns
        item.returns = []
        return (item, returns)
    }

    /// Reads the item that a dictionary describes, without what to return.
    func item(_ pairs: [ItemCalls.Pair]) throws(KeychainError) -> NewItem {
        var item = try read(pairs)
        item.returns = []
        return item
    }

    /// Looks whether a key is there; one that is locked is.
    fileprivate func requireKey(_ find: () throws(KeychainError) -> Void) throws(KeychainError) {
        do throws(KeychainError) { try find() } catch {
            guard error.status != .interactionNotAllowed else { return }
            guard error.status == .itemNotFound else { throw error }
            throw KeychainError(
                .itemNotFound, "the keychain does not have the private key of the identity any more; nothing was stored"
            )
        }
    }

    fileprivate func ifNew(
        _ add: () throws(KeychainError) -> StoredHalf
    ) throws(KeychainError) -> StoredHalf? {
        do throws(KeychainError) {
            return try add()
        } catch  where error.status == .duplicateItem {
            return nil
        }
    }
}
