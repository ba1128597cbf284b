import ChatelaineIPC
import ChatelaineModel

/// The four SecItem calls for dictionaries that name file keychains.
enum FileItemCalls {
    static func add(_ pairs: [ItemCalls.Pair]) throws(KeychainError) -> ResultTree? {
        if let identity = try NewIdentity(pairs) { return try identity.add() }
        var (terms, item) = try FileKeychainTerms.newItem(pairs)
        if item.keyHalf == .publicKey { try item.completePublicKey() }
        let context = CallContext.of(pairs)
        let kept = CallContext.kept(by: context, item.authenticationUI, item.prompt)
        try complete(context, &item.authenticationUI, &item.prompt)
        let returns = item.returns
        item.returns.formUnion(ItemCalls.besides(returns, of: item.itemClass))
        var added = try KeychainClient.shared.call(AddKeychainItem(item, to: terms.keychain))
        // The object of a certificate is its bytes.
        if item.itemClass == .certificate { added.item.secret = item.secret }
        return ResultTree.shape(added: added, for: returns, in: kept)
    }

    static func find(_ pairs: [ItemCalls.Pair], hasPlace: Bool) throws(KeychainError) -> ResultTree? {
        var (terms, query) = try FileKeychainTerms.query(pairs, for: .find)
        if !hasPlace {
            query.returns = []
            query.limit = .one
        }
        let context = CallContext.of(pairs)
        let kept = CallContext.kept(by: context, query.authenticationUI, query.prompt)
        try complete(context, &query.authenticationUI, &query.prompt)
        return ResultTree.shape(try items(query, terms.subject, in: terms.scope), for: query, in: kept)
    }

    /// - Parameter query: the query as it was parsed; the call also requests what the result objects are made of.
    static func find(
        _ query: ItemQuery, in scope: KeychainScope, _ context: CallContext?
    ) throws(KeychainError) -> ResultTree? {
        ResultTree.shape(try items(query, SubjectTerms(), in: scope), for: query, in: context)
    }

    private static func items(
        _ query: ItemQuery, _ subject: SubjectTerms, in scope: KeychainScope
    ) throws(KeychainError) -> [KeychainItem] {
        var asked = query
        let isOfCertificates = query.itemClass == .certificate || query.itemClass == .identity
        if isOfCertificates, query.returns.contains(.reference) { asked.returns.insert(.data) }
        asked.returns.formUnion(ItemCalls.besides(query.returns, of: query.itemClass))
        guard !subject.isEmpty else { return try KeychainClient.shared.find(asked, in: scope) }
        // The subject filter runs first, so that trust is not evaluated for the other certificates of a keychain.
        var named = asked
        named.returns.insert(.data)
        (named.limit, named.certificateTerms) = (.all, asked.certificateTerms.withoutVerdict)
        let found = try KeychainClient.shared.find(named, in: scope)
        let names = try CertificateCalls.commonNames(
            of: found.map { $0.item.secret?.withUnsafeBytes { [UInt8]($0) } ?? [] })
        let meant = zip(found, names).filter { subject.admit($1) }.map(\.0)
        guard !meant.isEmpty else {
            throw KeychainError(.itemNotFound, "no certificate that was found is for such a subject")
        }
        guard query.certificateTerms.needVerdict else { return Array(meant.prefix(query.limit.maximum)) }
        // securityd evaluates far fewer certificates of a list than the list may name. The certificates in `meant`
        // are among those that the query lists, so that this request needs no list.
        asked.certificates = nil
        let listed = meant.prefix(Limits.listedItems).map(\.reference)
        return try KeychainClient.shared.find(asked, in: KeychainScope(paths: scope.paths, items: listed))
    }

    static func update(_ pairs: [ItemCalls.Pair], _ changes: [ItemCalls.Pair]) throws(KeychainError) {
        var (terms, query) = try FileKeychainTerms.query(pairs, for: .update)
        let (change, access) = try FileKeychainTerms.change(changes, of: query.itemClass)
        try complete(CallContext.of(pairs), &query.authenticationUI, &query.prompt)
        let client = KeychainClient.shared
        let scope = try restrict(&query, by: terms)
        if let access {
            guard query.itemClass != .certificate else { throw AccessObject.noneOfCertificates }
            var named = query
            named.limit = .all
            let items = try client.find(named, in: scope)
            // It changes all items or none, and is what most often fails.
            if !change.isEmpty { try client.update(query, change, in: scope) }
            // Each item's access object says who may change it.
            for item in items {
                try client.setAccess(access, of: item.reference, in: item.path, query.authenticationUI)
            }
            return
        }
        try client.update(query, change, in: scope)
    }

    static func delete(_ pairs: [ItemCalls.Pair]) throws(KeychainError) {
        var (terms, query) = try FileKeychainTerms.query(pairs, for: .delete)
        try complete(CallContext.of(pairs), &query.authenticationUI, &query.prompt)
        let scope = try restrict(&query, by: terms)
        try KeychainClient.shared.delete(query, in: scope, asksPerson: false)
    }

    /// The scope of a change: the items, one by one, where only a search finds out which certificates the query means.
    private static func restrict(
        _ query: inout ItemQuery, by terms: FileKeychainTerms
    ) throws(KeychainError) -> KeychainScope {
        guard !terms.subject.isEmpty || !terms.certificate.isEmpty else { return terms.scope }
        var named = query
        (named.limit, named.certificateTerms) = (.all, terms.certificate)
        let found = try items(named, terms.subject, in: terms.scope)
        guard found.count <= Limits.listedItems else {
            throw KeychainError(
                .param,
                "\(found.count) certificates meet the query; one call changes \(Limits.listedItems) of them at most")
        }
        // What was found is among the certificates that the query lists.
        query.certificates = nil
        return KeychainScope(paths: terms.scope.paths, items: found.map(\.reference))
    }

    /// Applies what the dictionary's context and the process say about asking a person.
    ///
    /// - Throws: `errSecAuthFailed` for a context that was invalidated.
    static func complete(
        _ context: CallContext?, _ ui: inout AuthenticationUI, _ prompt: inout OperationPrompt?
    ) throws(KeychainError) {
        try context?.requireValid()
        context?.complete(&ui, &prompt)
        if !UserInteraction.isAllowed, ui == .allow { ui = .fail }
    }
}
