import ChatelaineIPC
import ChatelaineModel
import FileKeychains
import ItemStore
import StoreEngine

/// Reads and changes the access objects of a file keychain's items.
extension FileKeychainItems {
    /// The access object of an item.
    func access(
        of item: KeychainItemReference, _ access: inout Authorisation
    ) throws(KeychainError) -> AccessObject {
        let found = try unlocked { (opened) throws(KeychainError) in
            try versions(of: [item], in: opened).found[0].access
        }
        guard let found else { throw needsUnlocking(&access) }
        return found
    }

    /// Replaces the access objects of items of one class: of all of them, or of none.
    ///
    /// - Parameter proof: the opening of the keychain whose password was given for it (``FileKeychainSlot/prove``).
    ///   Without one, partition lists stay unchanged, and the items' access objects decide.
    func set(
        _ changes: [ItemAccess], provenIn proof: Int? = nil, _ request: ChangeRequest,
        _ access: inout Authorisation
    ) throws(KeychainError) {
        for change in changes { try change.access.validate() }
        let isOfOwner = proof != nil
        let done: Void? = try unlocked { (opened) throws(KeychainError) in
            guard proof == nil || proof == opened.epoch else { throw FileKeychainSlot.lockedDuringProof }
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
                        // This ends the change of all items.
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

    /// How often an item may change between the look and the write.
    private static let attempts = 8

    private static var changedMeanwhile: KeychainError {
        KeychainError(.notAvailable, "the item is being changed all the time; try again")
    }

    private typealias Version = (access: AccessObject, version: UInt64)

    /// The versions of items of one class, in the given order, and the query for these items.
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
                guard itemClass != .certificate else { throw AccessObject.noneOfCertificates }
                throw KeychainError(.itemNotFound, "the item is in the keychain no more")
            }
            versions.append(version)
        }
        return (query, versions)
    }
}

extension AccessObject {
    /// This object with the partition list of the object that it replaces, unless the keychain's password allows
    /// another list.
    fileprivate func inPlace(of former: AccessObject, mayRepartition: Bool) throws(KeychainError) -> AccessObject {
        guard let list = former.partitionList else { return self }
        guard partitionList != nil else { return partitioned(list) }
        if !mayRepartition { try requireSamePartitionList(as: former) }
        return self
    }
}
