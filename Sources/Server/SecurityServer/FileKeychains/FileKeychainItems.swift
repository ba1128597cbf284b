import CallerIdentity
import ChatelaineIPC
import ChatelaineModel
import EnclaveProtocol
import FileKeychains
import ItemStore
import StoreEngine

/// One file keychain as one request uses it.
///
/// It covers what can be read of a locked keychain, and what the caller may do with items.
struct FileKeychainItems {
    let keychain: FileKeychainSlot
    let caller: Caller
    /// Whether the request lets a person be asked.
    let ui: AuthenticationUI
    let prompt: OperationPrompt?
    let setting: KeychainSetting

    var creator: ACLCaller { caller.asAccessObjectsKnowIt(setting.tools) }

    func place(_ opened: OpenedKeychain, _ purpose: ACLDecider.Purpose = .ordinary) -> Authorisation.Place {
        Authorisation.Place(
            opened: opened,
            deciders: [ACLDecider(setting: setting, path: keychain.path, ui: ui, purpose: purpose)])
    }

    /// The items that a query describes; none where nothing matches.
    func find(
        _ query: ItemQuery, _ access: inout Authorisation, whenLarge: () throws(KeychainError) -> Void
    ) throws(KeychainError) -> [KeychainItem] {
        let found = try unlocked { (opened) throws(KeychainError) in
            let store = opened.store
            return try search(query) { (query) throws(KeychainError) in
                try rows(query, in: opened, &access, whenLarge: whenLarge)
            } look: { (query) throws(KeychainError) in
                try store.find(query, groups: [FileKeychain.group])
            }.map { KeychainItem($0, of: opened.store.identifier, at: keychain.path.text, isVerified: true) }
        }
        if let found { return found }
        guard query.wantsSecrets else { return try unverified(query, whenLarge: whenLarge) }
        guard try hasMatch(of: query) else { return [] }
        guard ui != .skip else { return [] }
        throw needsUnlocking(&access)
    }

    private func search(
        _ query: ItemQuery, rows: RowSearch, look: RowSearch
    ) throws(KeychainError) -> [FoundItem] {
        guard query.itemClass == .identity else { return try rows(query) }
        var verdicts = CertificateVerdicts(query.certificateTerms, setting.certificates.judge)
        return try IdentityItems.find(query, rows: rows) { (certificate) throws(KeychainError) in
            try verdicts.admits(certificate, look)
        }
    }

    /// The items that match and have rows of their own; none where nothing matches.
    private func rows(
        _ query: ItemQuery, in opened: OpenedKeychain, _ access: inout Authorisation,
        whenLarge: () throws(KeychainError) -> Void = {}
    ) throws(KeychainError) -> [FoundItem] {
        let (place, store) = (place(opened), opened.store)
        return try setting.certificates.rows(query) { (query) throws(KeychainError) in
            try store.find(query, groups: [FileKeychain.group], whenLarge: whenLarge) {
                (row, operation) throws(KeychainError) in
                try access.authorise(row, operation, for: caller, in: place, ui, prompt)
            }
        } look: { (query) throws(KeychainError) in
            try store.find(query, groups: [FileKeychain.group])
        }
    }

    /// The items in the file of a locked keychain, of which nothing is proven.
    private func unverified(
        _ query: ItemQuery, whenLarge: () throws(KeychainError) -> Void = {}
    ) throws(KeychainError) -> [KeychainItem] {
        do throws(KeychainError) { return try unverified(query, byteLimit: ItemStore.smallResultBytes) } catch {
            guard error.status == .dataTooLarge else { throw error }
        }
        // The reservation may wait for its turn, so nothing of the keychain is held.
        try whenLarge()
        return try unverified(query, byteLimit: .max)
    }

    private func unverified(_ query: ItemQuery, byteLimit: Int) throws(KeychainError) -> [KeychainItem] {
        try keychain.findUnverified(byteLimit: byteLimit) { (look) throws(KeychainError) in
            try search(query) { (query) throws(KeychainError) in
                try setting.certificates.rows(query, find: look, look: look)
            } look: { (query) throws(KeychainError) in
                try look(query)
            }
        }
    }

    /// The queries for rows; an identity needs two.
    private func named(
        _ query: ItemQuery, in opened: OpenedKeychain, _ access: inout Authorisation
    ) throws(KeychainError) -> [ItemQuery] {
        if query.itemClass == .identity {
            return try IdentityItems.halves(of: query) { (query) throws(KeychainError) in
                try rows(query, in: opened, &access)
            }
        }
        let store = opened.store
        return [
            try setting.certificates.withoutCertificates(query) { (query) throws(KeychainError) in
                try store.find(query, groups: [FileKeychain.group])
            }
        ]
    }

    /// Stores an item.
    ///
    /// An item without an access object gets one that lists its creator. The partition is the creator's in any case.
    func add(
        _ item: NewItem, _ request: ChangeRequest, _ access: inout Authorisation
    ) throws(KeychainError) -> KeychainItem {
        var item = try completed(item)
        if item.attributes[.label] == nil { item.attributes[.label] = item.defaultLabel }
        try keychain.makeIfMissing()
        give(&item)
        let added = try unlocked { (opened) throws(KeychainError) in
            let place = place(opened)
            return KeychainItem(
                try opened.store.add(item, group: FileKeychain.group, request: request) {
                    (row, operation) throws(KeychainError) in
                    try access.authorise(row, operation, for: caller, in: place, ui, prompt)
                }, of: opened.store.identifier, at: keychain.path.text, isVerified: true)
        }
        guard var added else {
            if let former = try addedBefore(item, request) { return former }
            throw needsUnlocking(&access, isChange: true)
        }
        keychain.publish()
        keychain.post(.itemAdded, added.reference)
        if !item.returns.includeAttributes { added.item.encodedAttributes = nil }
        if !item.returns.contains(.data) { added.item.secret = nil }
        return added
    }

    /// The item that a request added to a keychain that was locked since, as when securityd ended before its answer.
    private func addedBefore(_ item: NewItem, _ request: ChangeRequest) throws(KeychainError) -> KeychainItem? {
        guard let row = try keychain.unverifiedAnswer(to: request)?.row else { return nil }
        var query = ItemQuery(itemClass: item.itemClass)
        query.identifier = ItemIdentifier(row)
        query.returns = item.returns.subtracting(.data)
        var added = try unverified(query).first
        if item.returns.contains(.data) { added?.item.secret = item.secret }
        return added
    }

    /// A certificate with the attributes that its bytes give; any other item unchanged.
    private func completed(_ item: NewItem) throws(KeychainError) -> NewItem {
        guard item.itemClass == .certificate else { return item }
        guard item.access == nil else {
            throw KeychainError(.param, "a certificate is everybody's to read, and has no access object")
        }
        return try setting.certificates.completed(item)
    }

    /// Gives an item its access object.
    ///
    /// A certificate has none.
    func give(_ item: inout NewItem) {
        guard item.itemClass != .certificate else { return }
        let creator = creator
        let object = item.access ?? .default(label: item.attributes[.label]?.text, creator: creator.listed)
        item.access = object.partitioned(PartitionList(creator.partition.map { [$0] } ?? []))
    }

    /// Changes the items that a query describes.
    ///
    /// - Parameter isRehearsal: whether the change is only tried; it fails as it would, and nothing is changed.
    /// - Returns: whether there was something to change.
    func update(
        _ query: ItemQuery, _ change: ItemChange, _ request: ChangeRequest, isRehearsal: Bool,
        _ access: inout Authorisation
    ) throws(KeychainError) -> Bool {
        try changing(query, request, isRehearsal, &access) { (opened, access) throws(KeychainError) in
            let place = place(opened)
            var touched = TouchedItems()
            var changes = [change]
            if query.itemClass == .identity {
                let halves = try IdentityItems.changes(change)
                changes = [halves.certificate, halves.key]
            }
            let parts = zip(try named(query, in: opened, &access), changes).map { (query: $0, change: $1) }
            try opened.store.update(
                parts, groups: [FileKeychain.group], request: request, isRehearsal: isRehearsal
            ) {
                (row, operation) throws(KeychainError) in
                touched.noting(row, try access.authorise(row, operation, for: caller, in: place, ui, prompt))
            }
            return touched.items.map { (.itemUpdated, $0) }
        }
    }

    /// Deletes the items that a query describes.
    ///
    /// - Parameters:
    ///   - asksPerson: whether a person is asked about items that the program may not read.
    ///   - isRehearsal: whether the deletion is only tried; it fails as it would, and nothing is deleted.
    /// - Returns: whether there was something to delete.
    func delete(
        _ query: ItemQuery, asksPerson: Bool, _ request: ChangeRequest, isRehearsal: Bool,
        _ access: inout Authorisation
    ) throws(KeychainError) -> Bool {
        try changing(query, request, isRehearsal, &access) { (opened, access) throws(KeychainError) in
            let place = place(opened, asksPerson ? .ordinary : .deletingListed)
            var touched = TouchedItems()
            let queries = try named(query, in: opened, &access)
            try opened.store.delete(
                queries, groups: [FileKeychain.group], request: request, isRehearsal: isRehearsal
            ) {
                (row, operation) throws(KeychainError) in
                touched.noting(row, try access.authorise(row, operation, for: caller, in: place, ui, prompt))
            }
            return touched.items.map { (.itemDeleted, $0) }
        }
    }

    // MARK: Locked or not

    /// Carries out a change in an unlocked keychain.
    ///
    /// Has a person asked about a locked keychain that has something to change.
    ///
    /// - Parameter change: the change, which returns its events. Nobody hears of those of a rehearsal.
    private func changing(
        _ query: ItemQuery, _ request: ChangeRequest, _ isRehearsal: Bool, _ access: inout Authorisation,
        _ change: (OpenedKeychain, inout Authorisation) throws(KeychainError) -> [ItemEvent]
    ) throws(KeychainError) -> Bool {
        let isDone = try unlocked { (opened) throws(KeychainError) in
            if let refusal = opened.store.refusal {
                guard try hasMatch(of: query) else { return false }
                throw refusal
            }
            let events: [ItemEvent]
            do throws(KeychainError) { events = try change(opened, &access) } catch {
                guard error.status == .itemNotFound else { throw error }
                return false
            }
            if !isRehearsal { for (kind, item) in events { keychain.post(kind, item) } }
            return true
        }
        if let isDone {
            if isDone, !isRehearsal { keychain.publish() }
            return isDone
        }
        // The daemon that made the change may have ended before its answer, which left the keychain locked.
        if try keychain.unverifiedAnswer(to: request) != nil { return true }
        guard try hasMatch(of: query) else { return false }
        throw needsUnlocking(&access, isChange: true)
    }

    /// The result of `body` with the open keychain; nil where the keychain is locked, or was locked meanwhile.
    func unlocked<Answer>(
        _ body: (OpenedKeychain) throws(KeychainError) -> Answer
    ) throws(KeychainError) -> Answer? {
        var isAgain = false
        while let opened = try keychain.opened() {
            do throws(KeychainError) { return try body(opened) } catch {
                if error.cause == .locked { return nil }
                // Nothing was changed, and the store that replaces this one may have the answer.
                guard !isAgain, error.cause != .needsPerson, opened.store.needsReopening else { throw error }
            }
            isAgain = true
        }
        return nil
    }

    func hasMatch(of query: ItemQuery) throws(KeychainError) -> Bool {
        var names = query
        names.returns = []
        names.limit = .one
        return try !unverified(names).isEmpty
    }

    /// Has a person asked for the password of a locked keychain; returns the error with which the request has to end.
    func needsUnlocking(_ access: inout Authorisation, isChange: Bool = false) -> KeychainError {
        if let refusal = keychain.refusal(isChange: isChange) { return refusal }
        do throws(KeychainError) {
            // The question checks its preconditions before a person types anything, or is missed: a keychain that does
            // not exist is not a locked one.
            let question = try PersonQuestion(unlocking: keychain, for: caller, in: setting.keychains, prompt)
            guard ui == .allow else {
                return KeychainError(
                    .authFailed,
                    "the keychain \(keychain.path.text) is locked, and the call forbids to ask for its password")
            }
            return access.asking(question)
        } catch { return error }
    }
}

/// What happened to an item.
private typealias ItemEvent = (kind: KeychainEvent.Kind, item: KeychainItemReference)

/// The items of one keychain that a change touches, each once, in the order of their rows.
private struct TouchedItems {
    private(set) var items: [KeychainItemReference] = []
    private var known: Set<KeychainItemReference> = []

    /// Notes a row that is meant.
    ///
    /// - Returns: whether the row is meant.
    mutating func noting(_ row: RowAccess, _ isMeant: Bool) -> Bool {
        let (context, store) = (row.context, row.context.store)
        let item = PersistentReference(itemClass: context.itemClass, identifier: context.row)
        let reference = KeychainItemReference(keychain: store, item: item)
        if isMeant, known.insert(reference).inserted { items.append(reference) }
        return isMeant
    }
}

extension NewItem {
    /// The label of an item that has none (reference, D.4).
    fileprivate var defaultLabel: AttributeValue? {
        let named = attributes[itemClass == .internetPassword ? .server : .service]
        if let text = named?.text, !text.isEmpty { return .text(text) }
        return attributes[.account]?.text.map { .text($0) }
    }
}

extension ItemQuery {
    /// Whether the query needs an unlocked keychain.
    ///
    /// Certificates are no secret, and they are the data of identities.
    fileprivate var wantsSecrets: Bool {
        returns.contains(.data) && itemClass != .certificate && itemClass != .identity
    }
}

extension AttributeValue {
    fileprivate var text: String? { if case .text(let text) = self { text } else { nil } }
}
