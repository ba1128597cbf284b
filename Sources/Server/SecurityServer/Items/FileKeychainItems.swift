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

    private var creator: ACLCaller { ACLCaller(caller.identity, tools: setting.tools) }

    private func place(_ opened: OpenedKeychain, _ purpose: ACLDecider.Purpose = .ordinary) -> Authorisation.Place {
        Authorisation.Place(
            name: KeychainName(of: opened.store.identifier), opened: opened,
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
        guard var added else { throw needsUnlocking(&access) }
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
            try opened.store.update(query, change, groups: [FileKeychain.group], request: request) {
                (row, operation) throws(KeychainError) in
                try access.authorise(row, operation, for: caller, in: place, ui, prompt)
            }
        }
    }

    /// - Parameter asksPerson: about items that the program may not read.
    /// - Returns: whether there was something to delete.
    func delete(
        _ query: ItemQuery, asksPerson: Bool, _ request: ChangeRequest, _ access: inout Authorisation
    ) throws(KeychainError) -> Bool {
        try changing(query, &access) { (opened, access) throws(KeychainError) in
            let place = place(opened, asksPerson ? .ordinary : .deletingListed)
            try opened.store.delete(query, groups: [FileKeychain.group], request: request) {
                (row, operation) throws(KeychainError) in
                try access.authorise(row, operation, for: caller, in: place, ui, prompt)
            }
        }
    }

    // MARK: Access objects

    /// Who may use an item.
    func access(
        of item: KeychainItemReference, _ access: inout Authorisation
    ) throws(KeychainError) -> AccessObject {
        let found = try unlocked { (opened) throws(KeychainError) in try version(of: item, in: opened).access }
        guard let found else { throw needsUnlocking(&access) }
        return found
    }

    /// Puts another access object into the place of an item's.
    ///
    /// - Parameter isOfOwner: whether the keychain's password was given for it. Else the partition list stays what it is, and the item's object says who may.
    func set(
        _ object: AccessObject, of item: KeychainItemReference, isOfOwner: Bool, _ request: ChangeRequest,
        _ access: inout Authorisation
    ) throws(KeychainError) {
        try object.validate()
        let done: Void? = try unlocked { (opened) throws(KeychainError) in
            let place = place(opened, isOfOwner ? .ofOwner : .changingAccess)
            for _ in 0..<Self.attempts {
                let former = try version(of: item, in: opened)
                var change = ItemChange()
                change.access = try object.inPlace(of: former.access, mayRepartition: isOfOwner)
                var isOutdated = false
                do throws(KeychainError) {
                    return try opened.store.update(
                        ItemQuery(item), change, groups: [FileKeychain.group], request: request
                    ) { (row: RowAccess, operation: RowOperation) throws(KeychainError) -> Bool in
                        isOutdated = row.context.version != former.version
                        guard !isOutdated else { return false }
                        return try access.authorise(row, operation, for: caller, in: place, ui, prompt)
                    }
                } catch { guard isOutdated else { throw error } }
            }
            throw KeychainError(.notAvailable, "the item is being changed all the time; try again")
        }
        if done == nil { throw needsUnlocking(&access) }
    }

    /// How often an item may be another one by the time at which it is written.
    private static let attempts = 8

    private func version(
        of item: KeychainItemReference, in opened: OpenedKeychain
    ) throws(KeychainError) -> (access: AccessObject, version: UInt64) {
        var found: (AccessObject, UInt64)?
        if item.keychain == opened.store.identifier {
            _ = try opened.store.find(
                ItemQuery(item), groups: [FileKeychain.group],
                authorise: { (row, _) throws(KeychainError) in
                    found = try row.access().map { ($0, row.context.version) }
                    return true
                })
        }
        guard let found else { throw KeychainError(.itemNotFound, "the item is in the keychain no more") }
        return found
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
        if let isDone { return isDone }
        guard try hasMatch(of: query) else { return false }
        throw needsUnlocking(&access)
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
    private func needsUnlocking(_ access: inout Authorisation) -> KeychainError {
        guard ui == .allow else {
            return KeychainError(
                .authFailed,
                "the keychain \(keychain.path.text) is locked, and the call forbids to ask for its password")
        }
        do throws(KeychainError) {
            return access.asking(
                try PersonQuestion(unlocking: keychain, for: caller, in: setting.keychains, prompt))
        } catch { return error }
    }
}

extension ItemQuery {
    /// The one item that a reference names.
    init(_ reference: KeychainItemReference) {
        self.init(itemClass: reference.item.itemClass)
        identifier = reference.item.identifier
        synchronizable = .any
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
