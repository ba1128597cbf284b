import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing
import StoreEngine

extension ItemStore {
    /// Adds an item to an access group.
    ///
    /// Missing unique attributes get their defaults, dates are always now, and the protection class is when-unlocked by
    /// default (behaviour/adding.md, 4 to 6). A tombstone of the same item is no obstacle: the new item takes its place
    /// and its identifier, so that old persistent references name the new item.
    ///
    /// - Parameters:
    ///   - item: class, attributes and secret.
    ///   - group: a group that the caller may write to; the server has checked that.
    ///   - request: carried out once, however often it comes.
    ///   - authorise: decides first about an item with constraints. For a repeated request it decides about the item as
    ///     it is by then; see ``RowAuthoriser``.
    ///   - use: the user for whom the key of an item with constraints is asked for.
    /// - Returns: the item with the parts that its return types ask for.
    /// - Throws: `errSecDuplicateItem` for an item whose unique attributes are in use; `errSecUnimplemented` for
    ///   classes that are not stored here; `errSecDataTooLarge`; `errSecParam`; the errors of key custodian and disk.
    package func add(
        _ item: NewItem, group: AccessGroup, request: ChangeRequest,
        authorise: RowAuthoriser = { _, _ in true }, use: KeyUser = { _ in nil }
    ) throws(KeychainError) -> FoundItem {
        var drafts = [try draft(of: item, in: group, clock.now())]
        let answer = try add(&drafts, request: request, authorise: authorise, use: use)
        if let answer { return try repeated(answer, drafts[0], group: group, authorise) }
        return found(drafts[0])
    }

    /// Adds rows, all of them or none; the answer to a repeated request names the first row.
    func add(
        _ drafts: inout [RowDraft], request: ChangeRequest, authorise: RowAuthoriser, use: KeyUser
    ) throws(KeychainError) -> FirstAnswer? {
        for draft in drafts {
            try requireAccess(draft.item.access)
            guard draft.context.constraints != nil else { continue }
            _ = try authorise(RowAccess(row: draft.opened, store: self), .add)
        }
        var work = drafts
        defer { drafts = work }
        return try repeating(request) { () throws(KeychainError) in
            for index in work.indices {
                // The public key is made from the private key that the custodian has made for the first row.
                if index > 0, let content = work[0].content { work[index].complete(by: content) }
                try prepare(&work[index], for: use)
            }
            return { [work] (session) throws(KeychainError) in
                let rows = work.compactMap(\.prepared)
                guard session.accepts(rows) else { return .outdated }
                for (row, draft) in zip(rows, work) {
                    guard try session.tombstone(of: row.uniqueDigest) == draft.buried?.stamp else { return .outdated }
                    do throws(KeychainError) {
                        if draft.buried?.successor == nil { try session.insert(row) } else { try session.update(row) }
                    } catch {
                        guard error.cause == .duplicate else { throw error }
                        return .conflict(uniqueDigest: row.uniqueDigest)
                    }
                }
                try session.record(request, row: rows[0].context.row.value)
                return .done
            }
        }
    }

    private func prepare(_ draft: inout RowDraft, for use: KeyUser) throws(KeychainError) {
        guard let ready = draft.prepared, !metadataKeys.isRetired(ready) else {
            draft.prepared = try seal(&draft, for: use)
            if let row = draft.prepared { try engine.bring([row.uniqueDigest], usingIndex: true) }
            return
        }
        // A second attempt has met an obstacle: a tombstone, a damaged item, or keys that were replaced.
        let found = try buriedItem(of: ready.uniqueDigest)
        guard found != draft.buried else { return }
        draft.buried = found
        draft.context.row = found?.successor?.row ?? ItemIdentifier()
        draft.context.version = found?.successor?.version ?? 1
        draft.prepared = try seal(&draft, for: use)
    }

    private func seal(_ draft: inout RowDraft, for use: KeyUser) throws(KeychainError) -> PreparedRow {
        let secret: RowSealer.PlacedSecret?
        if let source = draft.keySource {
            let (sealed, content) = try sealer.makeKey(source, at: draft.context, for: use)
            draft.complete(by: content)
            draft.keep(sealed)
            secret = sealed
        } else {
            secret = try draft.secret.flatMap { (content) throws(KeychainError) in
                guard ReadyRowKeys.serves(draft.context) else {
                    return try sealer.seal([(draft.context, content)], for: use).first
                }
                let ready = try readyKeys.take(for: draft.context)
                return try sealer.seal(content, at: ready.place, under: ready.key)
            }
        }
        if let secret { draft.context = secret.place }
        return try sealer.seal(draft.metadata, at: draft.context, secret: .written(secret?.secret))
    }

    func found(_ draft: RowDraft) -> FoundItem {
        let (context, item) = (draft.context, draft.item)
        let isShown = item.returns.contains(.data) && draft.key?.isExportable ?? true
        return FoundItem(
            identifier: context.row, itemClass: context.itemClass, accessibility: context.accessibility,
            isSynchronizable: context.isSynchronizable,
            attributes: item.returns.includeAttributes ? EncodedAttributes(draft.attributes) : nil,
            secret: isShown ? item.secret : nil,
            constraints: item.returns.includeAttributes ? context.constraints?.unbound : nil, key: draft.key)
    }

    /// Repeats the first answer: the item as it is now or, where it is gone since, as the request described it.
    func repeated(
        _ answer: FirstAnswer, _ draft: RowDraft, group: AccessGroup, _ authoriser: RowAuthoriser
    ) throws(KeychainError) -> FoundItem {
        let item = draft.item
        guard let identifier = answer.row.map({ ItemIdentifier($0) }) else {
            throw KeychainError(.param, "the number of this request has been used for another one")
        }
        var query = ItemQuery(itemClass: item.itemClass)
        query.identifier = identifier
        query.synchronizable = .any
        // The repeated answer returns the request's own secret, so that no person has to be present.
        let isConstrained = item.constraints?.constrains(.decrypt) ?? false
        query.returns = isConstrained ? item.returns.subtracting(.data).union(.attributes) : item.returns
        if var now = try find(query, groups: [group], authorise: authoriser).first {
            if isConstrained, item.returns.contains(.data) { now.secret = item.secret }
            return now
        }
        var former = draft
        former.context.row = identifier
        return found(former)
    }

    func draft(of item: NewItem, in group: AccessGroup, _ now: Double) throws(KeychainError) -> RowDraft {
        RowDraft(
            item, context: try context(ofNew: item, group: group), group: group, now: now, form: examiner.form)
    }

    func context(ofNew item: NewItem, group: AccessGroup) throws(KeychainError) -> RowContext {
        guard item.itemClass != .identity else {
            throw KeychainError(.param, "an identity has no row: its certificate and its key have one each")
        }
        // A certificate is no secret, and a program that waits for a connection needs it while the device is locked.
        let accessibility = item.accessibility ?? (item.itemClass == .certificate ? .always : .whenUnlocked)
        try item.secret.requireRoom()
        return RowContext(
            store: identifier, row: ItemIdentifier(), version: 1, itemClass: item.itemClass,
            accessibility: accessibility, isSynchronizable: item.isSynchronizable, isTombstone: false,
            groupDigest: digests.group(group), constraints: item.constraints?.unbound,
            keyCustody: item.keyCustody)
    }
}
