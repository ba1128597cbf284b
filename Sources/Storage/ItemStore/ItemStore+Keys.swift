import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import StoreEngine

extension ItemStore {
    /// Makes a private key and adds it, with the public key where that is to be an item too.
    ///
    /// Only the custodian's processes see the private key.
    ///
    /// - Returns: the private key's item.
    /// - Throws: as ``add(_:group:request:authorise:use:)``; where one item cannot be stored, none is.
    package func makeKey(
        _ pair: NewKeyPair, groups: (privateKey: AccessGroup, publicKey: AccessGroup), request: ChangeRequest,
        authorise: RowAuthoriser = { _, _ in true }, use: KeyUser = { _ in nil }
    ) throws(KeychainError) -> FoundItem {
        let now = clock.now()
        var drafts = [try draft(of: pair.privateKey, in: groups.privateKey, now)]
        drafts[0].generated = .generated(pair.kind, bits: pair.bits)
        if let publicKey = pair.publicKey {
            drafts.append(try draft(of: publicKey, in: groups.publicKey, now))
        }
        let answer = try add(&drafts, request: request, authorise: authorise, use: use)
        if let answer { return try repeated(answer, drafts[0], group: groups.privateKey, authorise) }
        return found(drafts[0])
    }

    /// Carries out a task with the private key of an item.
    ///
    /// - Parameters:
    ///   - groups: the access groups whose keys the caller may use.
    ///   - authorise: decides about each operation of the task.
    ///   - use: the user for whom a key with constraints is asked for.
    /// - Throws: `errSecItemNotFound`; `errSecParam` for an item that is no private key, and as for a key in memory;
    ///   `errSecUnimplemented` for the bytes of a key that is not exportable; the errors of the key custodian.
    package func useKey(
        _ item: ItemIdentifier, _ task: KeyTask, groups: [AccessGroup], authorise: RowAuthoriser = { _, _ in true },
        use: KeyUser = { _ in nil }
    ) throws(KeychainError) -> SecretBytes {
        var query = ItemQuery(itemClass: .key)
        query.identifier = item
        query.synchronizable = .any
        let plan = SearchPlan(
            query, groups: groups, digests: digests, wantsAttributes: true, wantsSecret: true, maximum: 1)
        for _ in 0..<Self.maximumAttempts {
            var outcome = try search(plan, excluding: [], isReadingPages: false)
            if !outcome.damaged.isEmpty, engine.quarantine(outcome.damaged) != .failed { continue }
            for operation in task.rowOperations { try self.authorise(&outcome.rows, operation, authorise) }
            guard let row = outcome.rows.first else { throw .notFound(isSetAside: try hasSetAside(plan)) }
            guard row.context.keyCustody != nil, let secret = row.secret else {
                throw KeychainError(.param, "the item is no private key")
            }
            let opened = try sealer.result(of: task, by: secret, of: row, for: use)
            if case .secret(let result?) = opened { return result }
            guard engine.quarantine(try damagedSecrets([row], [opened])) != .failed else { break }
        }
        throw KeychainError(.decode, "the key is damaged, so that it cannot be used")
    }
}
