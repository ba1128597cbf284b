import CallerIdentity
import ChatelaineIPC
import ChatelaineModel
import EnclaveProtocol
import FileKeychains
import ItemStore
import StoreEngine

/// One file keychain as one request uses it: what of it can be read while it is locked, and who may do what with its items.
struct FileKeychainItems {
    let keychain: FileKeychainSlot
    let caller: Caller
    /// Whether the request lets a person be asked.
    let ui: AuthenticationUI
    let prompt: OperationPrompt?
    let setting: KeychainSetting

    private var creator: ACLCaller { caller.asAccessObjectsKnowIt(setting.tools) }

    private func place(_ opened: OpenedKeychain, _ purpose: ACLDecider.Purpose = .ordinary) -> Authorisation.Place {
        Authorisation.Place(
            opened: opened,
            deciders: [ACLDecider(setting: setting, path: keychain.path, ui: ui, purpose: purpose)])
    }

    /// The items that a query describes; none where nothing matches.
    func find(
        _ query: ItemQuery, _ access: inout Authorisation, whenLarge: () throws(KeychainError) -> Void
    ) throws(KeychainError) -> [KeychainItem] {
        let found = try unlocked { (opened) throws(KeychainError) in
            let place = place(opened)
            return try opened.store.find(query, groups: [FileKeychain.group], whenLarge: whenLarge) {
                (row, operation) throws(KeychainError) in
                try access.authorise(row, operation, for: caller, in: place, ui, prompt)
            }.map { KeychainItem($0, of: opened.store.identifier, at: keychain.path.text, isVerified: true) }
        }
        if let found { return found }
        guard query.returns.contains(.data) else { return try keychain.findUnverified(query) }
        guard try hasMatch(of: query) else { return [] }
        guard ui != .skip else { return [] }
        throw needsUnlocking(&access)
    }

    /// Stores an item, with an access object that lists its creator where it brings none. Its partition is the creator's whatever it brings.
    func add(
        _ item: NewItem, _ request: ChangeRequest, _ access: inout Authorisation
    ) throws(KeychainError) -> KeychainItem {
        var item = item
        if item.attributes[.label] == nil { item.attributes[.label] = item.defaultLabel }
        try keychain.makeIfMissing()
        let creator = creator
        let object = item.access ?? .default(label: item.attributes[.label]?.text, creator: creator.listed)
        item.access = object.partitioned(PartitionList(creator.partition.map { [$0] } ?? []))
        let added = try unlocked { (opened) throws(KeychainError) in
            let place = place(opened)
            return KeychainItem(
                try opened.store.add(item, group: FileKeychain.group, request: request) {
                    (row, operation) throws(KeychainError) in
                    try access.authorise(row, operation, for: caller, in: place, ui, prompt)
                }, of: opened.store.identifier, at: keychain.path.text, isVerified: true)
        }
        guard var added else { throw needsUnlocking(&access, isChange: true) }
        keychain.publish()
        keychain.post(.itemAdded, added.reference)
        if !item.returns.includeAttributes { added.item.encodedAttributes = nil }
        if !item.returns.contains(.data) { added.item.secret = nil }
        return added
    }

    /// - Returns: whether there was something to change.
    func update(
        _ query: ItemQuery, _ change: ItemChange, _ request: ChangeRequest, _ access: inout Authorisation
    ) throws(KeychainError) -> Bool {
        try changing(query, &access) { (opened, access) throws(KeychainError) in
            let place = place(opened)
            var touched = TouchedItems()
            try opened.store.update(query, change, groups: [FileKeychain.group], request: request) {
                (row, operation) throws(KeychainError) in
                touched.noting(row, try access.authorise(row, operation, for: caller, in: place, ui, prompt))
            }
            for item in touched.items { keychain.post(.itemUpdated, item) }
        }
    }

    /// - Parameter asksPerson: about items that the program may not read.
    /// - Returns: whether there was something to delete.
    func delete(
        _ query: ItemQuery, asksPerson: Bool, _ request: ChangeRequest, _ access: inout Authorisation
    ) throws(KeychainError) -> Bool {
        try changing(query, &access) { (opened, access) throws(KeychainError) in
            let place = place(opened, asksPerson ? .ordinary : .deletingListed)
            var touched = TouchedItems()
            try opened.store.delete(query, groups: [FileKeychain.group], request: request) {
                (row, operation) throws(KeychainError) in
                touched.noting(row, try access.authorise(row, operation, for: caller, in: place, ui, prompt))
            }
            for item in touched.items { keychain.post(.itemDeleted, item) }
        }
    }

    // MARK: Access objects

    /// Who may use an item.
    func access(
        of item: KeychainItemReference, _ access: inout Authorisation
    ) throws(KeychainError) -> AccessObject {
        let found = try unlocked { (opened) throws(KeychainError) in
            try versions(of: [item], in: opened).found[0].access
        }
        guard let found else { throw needsUnlocking(&access) }
        return found
    }

    /// Puts other access objects into the place of those of items of one class: of all of them, or of none.
    ///
    /// - Parameter isOfOwner: whether the keychain's password was given for it. Else partition lists stay what they are, and the items' objects say who may.
    func set(
        _ changes: [ItemAccess], isOfOwner: Bool, _ request: ChangeRequest, _ access: inout Authorisation
    ) throws(KeychainError) {
        for change in changes { try change.access.validate() }
        let done: Void? = try unlocked { (opened) throws(KeychainError) in
            let place = place(opened, isOfOwner ? .ofOwner : .changingAccess)
            for _ in 0..<Self.attempts {
                let (query, former) = try versions(of: changes.map(\.item), in: opened)
                var change = ItemChange()
                for (wanted, former) in zip(changes, former) {
                    change.accessObjects[wanted.item.item.identifier] = try wanted.access.inPlace(
                        of: former.access, mayRepartition: isOfOwner)
                }
                let known = Dictionary(
                    zip(changes, former).map { ($0.item.item.identifier, $1.version) }, uniquingKeysWith: { $1 })
                var isOutdated = false
                do throws(KeychainError) {
                    try opened.store.update(query, change, groups: [FileKeychain.group], request: request) {
                        (row: RowAccess, operation: RowOperation) throws(KeychainError) -> Bool in
                        isOutdated = row.context.version != known[row.context.row]
                        // Ends it for all of them.
                        guard !isOutdated else { throw Self.changedMeanwhile }
                        return try access.authorise(row, operation, for: caller, in: place, ui, prompt)
                    }
                    for change in changes { keychain.post(.itemUpdated, change.item) }
                    return
                } catch { guard isOutdated else { throw error } }
            }
            throw Self.changedMeanwhile
        }
        if done != nil { keychain.publish() }
        if done == nil { throw needsUnlocking(&access, isChange: true) }
    }

    /// How often an item may be another one by the time at which it is written.
    private static let attempts = 8

    private static var changedMeanwhile: KeychainError {
        KeychainError(.notAvailable, "the item is being changed all the time; try again")
    }

    private typealias Version = (access: AccessObject, version: UInt64)

    /// Items of one class, in their order, and the query that means them.
    private func versions(
        of items: [KeychainItemReference], in opened: OpenedKeychain
    ) throws(KeychainError) -> (query: ItemQuery, found: [Version]) {
        guard let itemClass = items.first?.item.itemClass, items.allSatisfy({ $0.item.itemClass == itemClass }) else {
            throw KeychainError(
                .param, "one request is about items of one class: name items, and those of each class apart")
        }
        var query = ItemQuery(itemClass: itemClass)
        query.items = items.map(\.item.identifier)
        query.limit = .all
        query.synchronizable = .any
        var found: [ItemIdentifier: Version] = [:]
        if items.allSatisfy({ $0.keychain == opened.store.identifier }) {
            _ = try opened.store.find(
                query, groups: [FileKeychain.group],
                authorise: { (row, _) throws(KeychainError) in
                    found[row.context.row] = try row.access().map { ($0, row.context.version) }
                    return true
                })
        }
        var versions: [Version] = []
        for item in items {
            guard let version = found[item.item.identifier] else {
                throw KeychainError(.itemNotFound, "the item is in the keychain no more")
            }
            versions.append(version)
        }
        return (query, versions)
    }

    // MARK: Locked or not

    /// Carries out a change in an unlocked keychain; has a person asked about a locked one in which there is something to change.
    private func changing(
        _ query: ItemQuery, _ access: inout Authorisation,
        _ change: (OpenedKeychain, inout Authorisation) throws(KeychainError) -> Void
    ) throws(KeychainError) -> Bool {
        let isDone = try unlocked { (opened) throws(KeychainError) in
            do throws(KeychainError) { try change(opened, &access) } catch {
                guard error.status == .itemNotFound else { throw error }
                return false
            }
            return true
        }
        if let isDone {
            if isDone { keychain.publish() }
            return isDone
        }
        guard try hasMatch(of: query) else { return false }
        throw needsUnlocking(&access, isChange: true)
    }

    /// What comes of something that is done with an open keychain; nil where that is locked, or was meanwhile.
    private func unlocked<Answer>(
        _ body: (OpenedKeychain) throws(KeychainError) -> Answer
    ) throws(KeychainError) -> Answer? {
        var isAgain = false
        while let opened = try keychain.opened() {
            do throws(KeychainError) { return try body(opened) } catch {
                if error.cause == .locked { return nil }
                // Nothing was changed: what takes its place may well have the answer.
                guard !isAgain, error.cause != .needsPerson, opened.store.needsReopening else { throw error }
            }
            isAgain = true
        }
        return nil
    }

    private func hasMatch(of query: ItemQuery) throws(KeychainError) -> Bool {
        var names = query
        names.returns = []
        names.limit = .one
        return try !keychain.findUnverified(names).isEmpty
    }

    /// Has a person asked for the password of a locked keychain; what the request fails with where nobody is.
    private func needsUnlocking(_ access: inout Authorisation, isChange: Bool = false) -> KeychainError {
        if let refusal = keychain.refusal(isChange: isChange) { return refusal }
        guard ui == .allow else {
            return KeychainError(
                .authFailed,
                "the keychain \(keychain.path.text) is locked, and the call forbids to ask for its password")
        }
        do throws(KeychainError) {
            // Before a person types anything.
            return access.asking(
                try PersonQuestion(unlocking: keychain, for: caller, in: setting.keychains, prompt))
        } catch { return error }
    }
}

/// The items of one keychain that a change touches, each once, in the order of their rows.
private struct TouchedItems {
    private(set) var items: [KeychainItemReference] = []
    private var known: Set<KeychainItemReference> = []

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
    /// What an item without a label is called (reference, D.4).
    fileprivate var defaultLabel: AttributeValue? {
        let named = attributes[itemClass == .internetPassword ? .server : .service]
        if let text = named?.text, !text.isEmpty { return .text(text) }
        return attributes[.account]?.text.map { .text($0) }
    }
}

extension AttributeValue {
    fileprivate var text: String? { if case .text(let text) = self { text } else { nil } }
}

extension AccessObject {
    /// This object with the partition list of the one in whose place it comes, unless the keychain's password was given for another.
    fileprivate func inPlace(of former: AccessObject, mayRepartition: Bool) throws(KeychainError) -> AccessObject {
        guard let list = former.partitionList else { return self }
        guard partitionList != nil else { return partitioned(list) }
        if !mayRepartition { try requireSamePartitionList(as: former) }
        return self
    }
}
