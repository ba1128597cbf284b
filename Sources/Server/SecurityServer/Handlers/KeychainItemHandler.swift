import ChatelaineIPC
import ChatelaineModel
import EnclaveProtocol
import ItemStore

/// Carries out requests about items of file keychains.
enum KeychainItemHandler {
    static let routes: [RequestRoute] = [
        .init(search: find) { $0.query },
        .init(add),
        .init(update),
        .init(delete),
        .init(access),
        .init(setAccess),
        .init(descriptors: setAccess),
    ]

    static func find(
        _ request: FindKeychainItems, _ context: inout RequestContext
    ) throws(KeychainError) -> [KeychainItem] {
        try request.query.validate(for: .find)
        if request.query.certificateTerms.needVerdict {
            // While certificates are judged, only names are kept. The items are read once all are judged, so that none
            // is judged twice.
            var names = request.query
            names.returns = []
            _ = try found(names, in: request.scope, &context)
        }
        let (found, failure) = try found(request.query, in: request.scope, &context)
        guard !found.isEmpty else { throw failure ?? KeychainError.notFound }
        return found
    }

    /// The items that the keychains of a scope have, and why one of them could not be searched.
    private static func found(
        _ query: ItemQuery, in scope: KeychainScope, _ context: inout RequestContext
    ) throws(KeychainError) -> ([KeychainItem], KeychainError?) {
        let wanted = query.limit.maximum
        var found: [KeychainItem] = []
        var failure: KeychainError?
        for query in query.inOrder(in: scope) where found.count < wanted {
            let reason = try collect(query, in: scope, upTo: wanted, &found, &context)
            failure = failure ?? reason
        }
        return (found, failure)
    }

    /// Adds the items that one query finds in the keychains of a scope.
    ///
    /// - Returns: why one of the keychains could not be searched.
    private static func collect(
        _ query: ItemQuery, in scope: KeychainScope, upTo wanted: Int, _ found: inout [KeychainItem],
        _ context: inout RequestContext
    ) throws(KeychainError) -> KeychainError? {
        var bytes = found.reduce(0) { $0 + $1.byteCount }
        func take(_ items: [KeychainItem], _ context: inout RequestContext) throws(KeychainError) -> Bool {
            // The store bounds the items of each keychain, and this bounds the whole answer.
            bytes += items.reduce(0) { $0 + $1.byteCount }
            guard bytes <= ItemStore.maximumResultBytes else {
                throw KeychainError(
                    .dataTooLarge,
                    "the items found hold more than \(ItemStore.maximumResultBytes) bytes; ask for fewer of them at once"
                )
            }
            if bytes > ItemStore.smallResultBytes { try context.reserveLargeReply() }
            found += items.prefix(wanted - found.count)
            return found.count < wanted
        }
        return try SearchListTraversal(scope, query).run(&context, isChange: false, roots: take) {
            (keychain, query, context) throws(KeychainError) in
            var query = query
            if wanted < .max { query.limit = MatchLimit(wanted - found.count) }
            // A copy, since the search changes the context as well.
            var access = context.access
            defer { context.access = access }
            let items = try keychain.find(query, &access) { () throws(KeychainError) in
                try context.reserveLargeReply()
            }
            return try take(items, &context)
        }
    }

    static func add(_ request: AddKeychainItem, _ context: inout RequestContext) throws(KeychainError) -> KeychainItem {
        let item = request.item
        try item.validate()
        try item.requireFileKeychain()
        try item.validateAsBrought()
        let change = try context.changeRequest(request.identifier)
        let path = if let path = request.path { path } else { try placeOfNewItems(item.authenticationUI, &context) }
        return try context.withKeychain(at: path, item.authenticationUI, item.prompt) {
            (keychain, context) throws(KeychainError) in
            try keychain.add(item, change, &context.access)
        }
    }

    /// The default keychain.
    ///
    /// Where there is none, a person may be asked for one.
    static func placeOfNewItems(
        _ ui: AuthenticationUI, _ context: inout RequestContext
    ) throws(KeychainError) -> String {
        do throws(KeychainError) { return try context.services.defaultKeychain() } catch {
            guard error.status == .noDefaultKeychain else { throw error }
            return try context.placeOfFirstItem(ui)
        }
    }

    static func update(
        _ request: UpdateKeychainItems, _ context: inout RequestContext
    ) throws(KeychainError) -> NoReply {
        try request.query.validate(for: .update)
        try request.change.validate(for: request.query.itemClass)
        try request.change.requireFileKeychain()
        // Before a person is asked to unlock a keychain for a change that is refused.
        if [.certificate, .identity].contains(request.query.itemClass) {
            try CertificateItems.validate(request.change)
        }
        let change = try context.changeRequest(request.identifier)
        try changeAll(request.scope, request.query, &context) {
            (keychain, query, isRehearsal, access) throws(KeychainError) in
            try keychain.update(query, request.change, change, isRehearsal: isRehearsal, &access)
        }
        return NoReply()
    }

    static func delete(
        _ request: DeleteKeychainItems, _ context: inout RequestContext
    ) throws(KeychainError) -> NoReply {
        try request.query.validate(for: .delete)
        let change = try context.changeRequest(request.identifier)
        try changeAll(request.scope, request.query, &context) {
            (keychain, query, isRehearsal, access) throws(KeychainError) in
            try keychain.delete(
                query, asksPerson: request.asksPerson, change, isRehearsal: isRehearsal, &access)
        }
        return NoReply()
    }

    /// A change in one keychain, or a rehearsal of it; returns whether the keychain has items to change.
    private typealias Change = (FileKeychainItems, ItemQuery, Bool, inout Authorisation) throws(KeychainError) -> Bool

    /// Changes the items that a query describes, in each keychain that has some: all of them or none.
    ///
    /// Files of several keychains have no common commit. So the change is first tried in all of them, and made in the
    /// first one only where none refuses. By then every keychain is open, and a person has allowed what takes one. What
    /// comes between the first file and the last may leave a part (behaviour/keychain-items.md, 65).
    private static func changeAll(
        _ scope: KeychainScope, _ query: ItemQuery, _ context: inout RequestContext, _ change: Change
    ) throws(KeychainError) {
        let traversal = SearchListTraversal(scope, query)
        if try traversal.mayChangeSeveral(context) { try visitAll(traversal, isRehearsal: true, &context, change) }
        try visitAll(traversal, isRehearsal: false, &context, change)
    }

    private static func visitAll(
        _ traversal: SearchListTraversal, isRehearsal: Bool, _ context: inout RequestContext, _ change: Change
    ) throws(KeychainError) {
        var isFound = false
        let failure = try traversal.run(&context, isChange: true) {
            (keychain, query, context) throws(KeychainError) in
            if try change(keychain, query, isRehearsal, &context.access) { isFound = true }
            return true
        }
        // Success means that every described item was changed.
        if let failure { throw failure }
        guard isFound else { throw KeychainError.notFound }
    }

    // MARK: Access objects

    static func access(
        _ request: ReadItemAccess, _ context: inout RequestContext
    ) throws(KeychainError) -> AccessObject {
        try context.withKeychain(at: request.path, request.authenticationUI) {
            (keychain, context) throws(KeychainError) in
            try keychain.access(of: request.item, &context.access)
        }
    }

    static func setAccess(
        _ request: SetItemAccess, _ context: inout RequestContext
    ) throws(KeychainError) -> NoReply {
        let change = try context.changeRequest(request.identifier)
        try context.withKeychain(at: request.path, request.authenticationUI) {
            (keychain, context) throws(KeychainError) in
            try keychain.set(
                [ItemAccess(request.access, of: request.item)], change, &context.access)
        }
        return NoReply()
    }

    static func setAccess(
        _ request: SetItemAccessWithPassword, _ password: GivenKeychainPassword, _ context: inout RequestContext
    ) throws(KeychainError) -> KeychainPasswordReport {
        guard let file = password.files.first else {
            throw KeychainError(.internalComponent, "a password was announced and is not here")
        }
        return try context.withKeychain(at: request.path, .fail) { (keychain, context) throws(KeychainError) in
            let (report, proof) = try keychain.keychain.prove(password: file, from: password.origin)
            if let proof {
                try keychain.set(request.changes, provenIn: proof, password.change, &context.access)
            }
            return KeychainPasswordReport(report)
        }
    }
}

extension ItemQuery {
    /// The queries that answer this query in order.
    ///
    /// Without a class of keys, keys come by class, as on macOS.
    fileprivate func inOrder(in scope: KeychainScope) -> [ItemQuery] {
        // A single named key needs no order.
        guard itemClass == .key, attributes[.keyClass] == nil, scope.items?.count != 1 else { return [self] }
        return [KeyHalf.symmetric, .publicKey, .privateKey].map { half in
            var query = self
            query.attributes[.keyClass] = .number(half.rawValue)
            return query
        }
    }
}

extension KeychainItem {
    fileprivate var byteCount: Int { item.byteCount }
}

extension FoundItem {
    /// About how many bytes the item takes in an answer.
    var byteCount: Int { (encodedAttributes?.byteCount ?? 0) + (secret?.count ?? 0) }
}

extension KeychainError {
    fileprivate static var notFound: KeychainError {
        KeychainError(.itemNotFound, "no item in the keychains that were searched matches the query")
    }
}
