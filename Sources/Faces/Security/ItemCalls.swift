import ChatelaineCryptography
import ChatelaineIPC
import ChatelaineModel

/// The four SecItem calls, from the pairs of a dictionary to a shaped result, for Swift and for C alike.
package enum ItemCalls {
    package typealias Pair = (key: String, value: QueryValue)

    package static func add(_ pairs: [Pair]) throws(KeychainError) -> ResultTree? {
        if case .files = try QueryTarget(of: pairs) { return try FileItemCalls.add(pairs) }
        if let identity = try NewIdentity(pairs) { return try identity.add() }
        var item = try QueryParser.newItem(pairs)
        if item.keyHalf == .publicKey { try item.completePublicKey() }
        let context = CallContext.of(pairs)
        let kept = CallContext.kept(by: context, item.authenticationUI, item.prompt)
        guard let context else { return try add(item, by: KeychainClient.shared, in: kept) }
        context.complete(&item.authenticationUI, &item.prompt)
        return try add(item, by: context.caller, in: kept)
    }

    private static func add(
        _ item: NewItem, by caller: some KeychainCalling, in context: CallContext? = nil
    ) throws(KeychainError) -> ResultTree? {
        var asked = item
        asked.returns.formUnion(besides(item.returns, of: item.itemClass))
        var added = try caller.add(asked)
        // The object of a certificate is its bytes.
        if item.itemClass == .certificate { added.secret = item.secret }
        return ResultTree.shape(added: added, for: item.returns, in: context)
    }

    /// - Parameter hasPlace: whether the caller has a place for a result. A caller without one only learns whether
    ///   there is an item, and no secret enters its memory.
    package static func find(_ pairs: [Pair], hasPlace: Bool) throws(KeychainError) -> ResultTree? {
        if case .files = try QueryTarget(of: pairs) { return try FileItemCalls.find(pairs, hasPlace: hasPlace) }
        var query = try QueryParser.query(pairs, for: .find)
        if !hasPlace {
            query.returns = []
            query.limit = .one
        }
        let context = CallContext.of(pairs)
        let kept = CallContext.kept(by: context, query.authenticationUI, query.prompt)
        guard let context else { return try find(query, by: KeychainClient.shared, in: kept) }
        context.complete(&query.authenticationUI, &query.prompt)
        return try find(query, by: context.caller, in: kept)
    }

    /// - Parameters:
    ///   - query: the query as it was parsed; the call also requests what the result objects are made of.
    ///   - context: what the keys in the result keep.
    static func find(
        _ query: ItemQuery, by caller: some KeychainCalling, in context: CallContext? = nil
    ) throws(KeychainError) -> ResultTree? {
        var asked = query
        if query.itemClass == .certificate || query.itemClass == .identity, query.returns.contains(.reference) {
            asked.returns.insert(.data)
        }
        asked.returns.formUnion(Self.besides(query.returns, of: query.itemClass))
        return ResultTree.shape(try caller.find(asked), for: query, in: context)
    }

    /// Returns what a request must ask for besides, so that result objects can be made.
    ///
    /// The attributes of a key decide which kind of object stands for it.
    static func besides(_ returns: ReturnTypes, of itemClass: ItemClass?) -> ReturnTypes {
        // `[]` would be made of a sequence here, at each call.
        itemClass == .key && returns.contains(.reference) ? .attributes : ReturnTypes()
    }

    package static func update(_ pairs: [Pair], _ changes: [Pair]) throws(KeychainError) {
        if case .files = try QueryTarget(of: pairs) { return try FileItemCalls.update(pairs, changes) }
        var query = try QueryParser.query(pairs, for: .update)
        let change = try QueryParser.change(changes, of: query.itemClass)
        guard let context = CallContext.of(pairs) else { return try KeychainClient.shared.update(query, change) }
        context.complete(&query.authenticationUI, &query.prompt)
        try context.caller.update(query, change)
    }

    package static func delete(_ pairs: [Pair]) throws(KeychainError) {
        if case .files = try QueryTarget(of: pairs) { return try FileItemCalls.delete(pairs) }
        var query = try QueryParser.query(pairs, for: .delete)
        guard let context = CallContext.of(pairs) else { return try KeychainClient.shared.delete(query) }
        context.complete(&query.authenticationUI, &query.prompt)
        try context.caller.delete(query)
    }
}

extension NewItem {
    /// Reads the public key and fills in the attributes that follow from it; no daemon reads it.
    ///
    /// - Throws: `errSecParam` where the bytes are no public key of that kind.
    mutating func completePublicKey() throws(KeychainError) {
        guard let keyKind, let secret else { return }
        let key = try secret.withUnsafeBytes { bytes in
            Result { () throws(KeychainError) in
                try CryptographicKey(keyKind, isPrivate: false, representation: bytes)
            }
        }.get()
        try SecKey(key).ownAttributes().fill(&attributes)
    }
}
