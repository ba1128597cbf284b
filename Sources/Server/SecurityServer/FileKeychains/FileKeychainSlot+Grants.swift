import CallerIdentity
import ChatelaineModel
import EnclaveProtocol
import FileKeychains
import ItemStore
import StoreEngine

/// Writes a person's answers into access objects.
extension FileKeychainSlot {
    /// *Always Allow*: lists the program, if the item is unchanged and the keychain stayed open since the person was
    /// asked.
    ///
    /// - Returns: whether it is written. An item that was changed meanwhile is decided about anew.
    func remember(_ use: KeychainItemUse, for caller: Identity) throws(KeychainError) -> Bool {
        guard let opened = try opened(), opened.epoch == use.epoch else { return false }
        return try rewrite([use.item], in: opened, for: caller) { access in
            guard
                case .needsPerson(let question) = ACLEvaluation.decide(
                    access, right: use.question.right, caller: use.caller, ui: true),
                question == use.question
            else { return nil }
            return access.remembering(use.caller, after: question)
        } > 0
    }

    /// *Change All*: puts the program in the place of its former self in every item, if the keychain stayed open since
    /// the person was asked.
    ///
    /// - Parameter isAsked: whether the person was asked about this very keychain. Other keychains only have to be
    ///   open.
    /// - Returns: the number of changed items.
    func replace(
        _ former: TrustedApplication, as use: KeychainItemUse, for caller: Identity, isAsked: Bool = true
    ) throws(KeychainError) -> Int {
        guard let opened = try opened(), !isAsked || opened.epoch == use.epoch else { return 0 }
        return try rewrite(nil, in: opened, for: caller) { $0.replacing(former, by: use.caller) }
    }

    /// Replaces the access objects for which `change` returns another one, each only in the version that it was made
    /// from.
    ///
    /// - Parameter items: the only items to look at; nil for all.
    private func rewrite(
        _ items: [ItemIdentifier]?, in opened: OpenedKeychain, for caller: Identity,
        _ change: (AccessObject) -> AccessObject?
    ) throws(KeychainError) -> Int {
        var count = 0
        for itemClass in [ItemClass.genericPassword, .internetPassword, .key] {
            var query = ItemQuery(itemClass: itemClass)
            query.items = items
            query.limit = .all
            query.synchronizable = .any
            var rewritten: [(item: ItemIdentifier, version: UInt64, access: AccessObject)] = []
            _ = try opened.store.find(
                query, groups: [FileKeychain.group],
                authorise: { (row, _) throws(KeychainError) in
                    if let access = try row.access(), let next = change(access) {
                        rewritten.append((row.context.row, row.context.version, next))
                    }
                    return true
                })
            for (item, version, access) in rewritten {
                if try write(access, to: item, itemClass, in: version, opened, for: caller) { count += 1 }
            }
        }
        return count
    }

    private func write(
        _ access: AccessObject, to item: ItemIdentifier, _ itemClass: ItemClass, in version: UInt64,
        _ opened: OpenedKeychain, for caller: Identity
    ) throws(KeychainError) -> Bool {
        var query = ItemQuery(itemClass: itemClass)
        query.identifier = item
        query.synchronizable = .any
        var change = ItemChange()
        change.access = access
        let request = try opened.requests.request(
            of: caller.principal, RequestIdentifier(),
            digest: access.encoding.withUnsafeBytes { opened.requests.contents(of: $0) })
        do throws(KeychainError) {
            try opened.store.update(
                query, change, groups: [FileKeychain.group], request: request,
                authorise: { (row, _) in row.context.version == version })
            return true
        } catch {
            // The item was changed or deleted meanwhile.
            guard error.status == .itemNotFound else { throw error }
            return false
        }
    }
}
