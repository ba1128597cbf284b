import ChatelaineMemory
import ChatelaineModel
import EnclaveProtocol
import Sealing
import StoreEngine

extension ItemStore {
    /// Adds an item to an access group.
    ///
    /// Unique attributes that are missing get their defaults, dates are now whatever they were, the protection class is
    /// when-unlocked unless it is given (behaviour/adding.md, 4 to 6). A tombstone of the same item is no obstacle: the
    /// new item takes its place and its identifier, so that old persistent references name it.
    ///
    /// - Parameters:
    ///   - item: class, attributes and secret.
    ///   - group: a group that the caller may write to; the server has checked that.
    ///   - request: answered once, however often it comes.
    ///   - authorise: asked first where the item has constraints, and where it comes again, about the item as it is by then; see
    ///     ``RowAuthoriser``.
    ///   - use: for whom the key of an item with constraints is asked for.
    /// - Returns: the item with what its return types ask for.
    /// - Throws: `errSecDuplicateItem` when an item with the same unique attributes is there; `errSecUnimplemented` for
    ///   classes that are not stored here; `errSecDataTooLarge`; `errSecParam`; what the key custodian and the disk say.
    package func add(
        _ item: NewItem, group: AccessGroup, request: ChangeRequest,
        authorise: RowAuthoriser = { _, _ in true }, use: KeyUser = { _ in nil }
    ) throws(KeychainError) -> FoundItem {
        var drafts = [try draft(of: item, in: group, clock.now())]
        let answer = try add(&drafts, request: request, authorise: authorise, use: use)
        if let answer { return try repeated(answer, drafts[0], group: group, authorise) }
        return found(drafts[0])
    }

    /// Adds rows, all of them or none. The answer to a request that comes again names the first.
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
        return try repeating(request, isBlind: true) { () throws(KeychainError) in
            for index in work.indices {
                // What the private key of a pair turned out to be, the public one is made of.
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
        // Only who met an obstacle comes here again: a tombstone, a damaged item, or keys that were replaced.
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
            secret = try draft.secret.flatMap { (secret) throws(KeychainError) in
                try sealer.seal([(draft.context, secret)], for: use).first
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

    /// The first answer once more: the item as it is now or, where it is gone since, as it was described.
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
        // Nobody has to be there to be told once more what they stored.
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
        // A certificate is no secret: who waits for a connection while the device is locked needs it.
        let accessibility = item.accessibility ?? (item.itemClass == .certificate ? .always : .whenUnlocked)
        try item.secret.requireRoom()
        return RowContext(
            store: identifier, row: ItemIdentifier(), version: 1, itemClass: item.itemClass,
            accessibility: accessibility, isSynchronizable: item.isSynchronizable, isTombstone: false,
            groupDigest: digests.group(group), constraints: item.constraints?.unbound,
            privateKeyUse: item.privateKeyUse)
    }
}
