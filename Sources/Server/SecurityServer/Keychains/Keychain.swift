import CallerIdentity
import ChatelaineIPC
import ChatelaineModel
import ItemStore
import StoreEngine

/// Answers requests about items: it checks them, finds the rows, has each row decided about, and has the store do the
/// work.
struct Keychain: Sendable {
    let opened: OpenedKeychain
    let identities: IdentityService
    let name: KeychainName
    let changes: ChangeSubscriptions
    let deciders: [any AccessDecider]
    var certificates = CertificateItems()
    var place: Authorisation.Place { Authorisation.Place(name: name, opened: opened, deciders: deciders) }

    /// The items that a query describes; `errSecItemNotFound` when there are none.
    ///
    /// - Parameter whenLarge: see ``ItemStore/find(_:groups:whenLarge:)``.
    func find(
        _ query: ItemQuery, for caller: Caller, _ access: inout Authorisation,
        whenLarge: () throws(KeychainError) -> Void
    ) throws(KeychainError) -> [FoundItem] {
        try query.validate(for: .find)
        let groups = try AccessPolicy.groups(of: caller, named: query.accessGroup)
        let items =
            query.itemClass == .identity
            ? try identities(query, in: groups, for: caller, &access, whenLarge: whenLarge)
            : try rows(query, in: groups, for: caller, &access, whenLarge: whenLarge)
        guard !items.isEmpty else {
            throw KeychainError.notFound(isSetAside: try opened.store.hasSetAside(query, groups: groups))
        }
        return items
    }

    /// The identities that match; none where nothing matches.
    private func identities(
        _ query: ItemQuery, in groups: [AccessGroup], for caller: Caller, _ access: inout Authorisation,
        whenLarge: () throws(KeychainError) -> Void
    ) throws(KeychainError) -> [FoundItem] {
        let (place, store) = (place, opened.store)
        var verdicts = CertificateVerdicts(query.certificateTerms, certificates.judge)
        return try IdentityItems.find(query) { (query) throws(KeychainError) in
            try rows(query, in: groups, for: caller, &access, whenLarge: whenLarge)
        } admits: { (certificate) throws(KeychainError) in
            try verdicts.admits(certificate) { (query) throws(KeychainError) in
                try store.find(query, groups: caller.groups)
            }
        } first: { (query) throws(KeychainError) in
            try store.findFirst(query, groups: groups) { (row, operation) throws(KeychainError) in
                try access.authorise(row, operation, for: caller, in: place, query.authenticationUI, query.prompt)
            }
        } open: { (certificate) throws(KeychainError) in
            try store.open(certificate) { (row, operation) throws(KeychainError) in
                try access.authorise(row, operation, for: caller, in: place, query.authenticationUI, query.prompt)
            } use: {
                access.use($0, by: caller, in: place)
            }
        }
    }

    /// The items that match and have rows of their own; none where nothing matches.
    private func rows(
        _ query: ItemQuery, in groups: [AccessGroup], for caller: Caller, _ access: inout Authorisation,
        whenLarge: () throws(KeychainError) -> Void
    ) throws(KeychainError) -> [FoundItem] {
        let (place, store) = (place, opened.store)
        return try certificates.rows(query) { (named) throws(KeychainError) in
            try store.find(named, groups: groups, whenLarge: whenLarge) { (row, operation) throws(KeychainError) in
                try access.authorise(row, operation, for: caller, in: place, query.authenticationUI, query.prompt)
            } use: {
                access.use($0, by: caller, in: place)
            }
        } look: { (query) throws(KeychainError) in
            // The issuers of a certificate may be in other groups of the program.
            try store.find(query, groups: caller.groups)
        }
    }

    /// The query with the certificates that it lists replaced by the names of their items.
    private func withoutCertificates(
        _ query: ItemQuery, in groups: [AccessGroup]
    ) throws(KeychainError) -> ItemQuery {
        try certificates.withoutCertificates(query) { (query) throws(KeychainError) in
            try opened.store.find(query, groups: groups)
        }
    }

    /// Stores an item.
    ///
    /// A program that stores for the first time is recorded before its item is.
    func add(
        _ item: NewItem, for caller: Caller, _ change: ChangeRequest, _ access: inout Authorisation
    ) throws(KeychainError) -> FoundItem {
        try item.validate()
        let item = item.itemClass == .certificate ? try certificates.completed(item) : item
        guard item.itemClass != .identity else {
            throw KeychainError(
                .param, "an identity is a certificate and its private key: add a SecIdentity, or these one by one")
        }
        try item.validateAsBrought()
        let group = try AccessPolicy.defaultGroup(of: caller, named: item.accessGroup)
        try identities.pin(caller.identity)
        let place = place
        var added = try opened.store.add(item, group: group, request: change) {
            (row, operation) throws(KeychainError) in
            try access.authorise(row, operation, for: caller, in: place, item.authenticationUI, item.prompt)
        } use: {
            access.use($0, by: caller, in: place)
        }
        changes.note([group], of: caller.principal.user, in: name)
        if !item.returns.includeAttributes { added.encodedAttributes = nil }
        if !item.returns.contains(.data) { added.secret = nil }
        return added
    }

    func update(
        _ query: ItemQuery, _ change: ItemChange, for caller: Caller, _ request: ChangeRequest,
        _ access: inout Authorisation
    ) throws(KeychainError) {
        try query.validate(for: .update)
        try change.validate(for: query.itemClass)
        if query.itemClass == .certificate { try CertificateItems.validate(change) }
        var change = change
        if let group = change.accessGroup {
            change.accessGroup = try AccessPolicy.defaultGroup(of: caller, named: group)
        }
        let groups = try AccessPolicy.groups(of: caller, named: query.accessGroup)
        let place = place
        var touched = TouchedGroups(of: groups)
        let parts: [(query: ItemQuery, change: ItemChange)]
        if query.itemClass == .identity {
            let changes = try IdentityItems.changes(change)
            let halves = try IdentityItems.halves(of: query) { (query) throws(KeychainError) in
                try rows(query, in: groups, for: caller, &access) {}
            }
            parts = zip(halves, [changes.certificate, changes.key]).map { (query: $0, change: $1) }
        } else {
            parts = [(try withoutCertificates(query, in: groups), change)]
        }
        try opened.store.update(parts, groups: groups, request: request) {
            (row, operation) throws(KeychainError) in
            let isMeant = try access.authorise(
                row, operation, for: caller, in: place, query.authenticationUI, query.prompt)
            if isMeant { touched.note(row) }
            return isMeant
        } use: {
            access.use($0, by: caller, in: place)
        }
        if let group = change.accessGroup { touched.note(group) }
        changes.note(touched.groups, of: caller.principal.user, in: name)
    }

    func delete(
        _ query: ItemQuery, for caller: Caller, _ request: ChangeRequest, _ access: inout Authorisation
    ) throws(KeychainError) {
        try query.validate(for: .delete)
        let groups = try AccessPolicy.groups(of: caller, named: query.accessGroup)
        let place = place
        var touched = TouchedGroups(of: groups)
        let named =
            query.itemClass == .identity
            ? try IdentityItems.halves(of: query) { (query) throws(KeychainError) in
                try rows(query, in: groups, for: caller, &access) {}
            } : [try withoutCertificates(query, in: groups)]
        try opened.store.delete(named, groups: groups, request: request) {
            (row, operation) throws(KeychainError) in
            let isMeant = try access.authorise(
                row, operation, for: caller, in: place, query.authenticationUI, query.prompt)
            if isMeant { touched.note(row) }
            return isMeant
        }
        changes.note(touched.groups, of: caller.principal.user, in: name)
    }
}
