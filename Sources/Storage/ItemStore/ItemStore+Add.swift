import ChatelaineMemory
import ChatelaineModel
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
    ///   classes other than passwords; `errSecDataTooLarge`; `errSecParam`; what the key custodian and the disk say.
    package func add(
        _ item: NewItem, group: AccessGroup, request: ChangeRequest,
        authorise: RowAuthoriser = { _, _ in true }, use: KeyUser = { _ in nil }
    ) throws(KeychainError) -> FoundItem {
        try requireAccess(item.access)
        var context = try context(ofNew: item, group: group)
        let attributes = Self.attributes(ofNew: item, group: group, now: clock.now())
        if context.constraints != nil {
            let row = OpenedRow(
                row: 0, context: context, secretVersion: context.version,
                encodedAttributes: EncodedAttributes(attributes), secret: nil)
            _ = try authorise(RowAccess(row: row, store: self), .add)
        }
        var prepared: PreparedRow?
        var buried: BuriedItem?
        let answer = try repeating(request, isBlind: true) { () throws(KeychainError) in
            let row: PreparedRow
            if let ready = prepared, !metadataKeys.isRetired(ready) {
                // Only who met an obstacle comes here again: a tombstone, a damaged item, or keys that were replaced.
                let found = try buriedItem(of: ready.uniqueDigest)
                if found == buried {
                    row = ready
                } else {
                    buried = found
                    context.row = found?.successor?.row ?? ItemIdentifier()
                    context.version = found?.successor?.version ?? 1
                    row = try seal(item, attributes, at: &context, for: use)
                }
            } else {
                row = try seal(item, attributes, at: &context, for: use)
                try engine.bring([row.uniqueDigest], usingIndex: true)
            }
            prepared = row
            return { [buried] (session) throws(KeychainError) in
                guard session.accepts([row]), try session.tombstone(of: row.uniqueDigest) == buried?.stamp else {
                    return .outdated
                }
                do throws(KeychainError) {
                    if buried?.successor == nil { try session.insert(row) } else { try session.update(row) }
                } catch {
                    guard error.cause == .duplicate else { throw error }
                    return .conflict(uniqueDigest: row.uniqueDigest)
                }
                try session.record(request, row: row.context.row.value)
                return .done
            }
        }
        let metadata = Self.metadata(item, attributes, at: context)
        if let answer { return try repeated(answer, item, group: group, metadata, authorise) }
        return found(context, metadata, item)
    }

    private static func metadata(_ item: NewItem, _ attributes: AttributeSet, at context: RowContext) -> ItemMetadata {
        ItemMetadata(
            secretVersion: item.secret == nil ? 0 : context.version, access: item.access?.encoding,
            attributes: attributes)
    }

    private func seal(
        _ item: NewItem, _ attributes: AttributeSet, at context: inout RowContext, for use: KeyUser
    ) throws(KeychainError) -> PreparedRow {
        let secret = try item.secret.flatMap { (secret) throws(KeychainError) in
            try sealer.seal([(context, secret)], for: use).first
        }
        if let secret { context = secret.place }
        return try sealer.seal(
            Self.metadata(item, attributes, at: context), at: context, secret: .written(secret?.secret))
    }

    private func found(_ context: RowContext, _ metadata: ItemMetadata, _ item: NewItem) -> FoundItem {
        FoundItem(
            identifier: context.row, itemClass: context.itemClass, accessibility: context.accessibility,
            isSynchronizable: context.isSynchronizable,
            attributes: item.returns.includeAttributes ? EncodedAttributes(metadata.attributes) : nil,
            secret: item.returns.contains(.data) ? item.secret : nil,
            constraints: item.returns.includeAttributes ? context.constraints?.unbound : nil)
    }

    /// The first answer once more: the item as it is now or, where it is gone since, as it was described.
    private func repeated(
        _ answer: FirstAnswer, _ item: NewItem, group: AccessGroup, _ metadata: ItemMetadata,
        _ authoriser: RowAuthoriser
    ) throws(KeychainError) -> FoundItem {
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
        var context = try context(ofNew: item, group: group)
        context.row = identifier
        return found(context, metadata, item)
    }

    private func context(ofNew item: NewItem, group: AccessGroup) throws(KeychainError) -> RowContext {
        guard item.itemClass != .key, item.itemClass != .identity else {
            throw KeychainError(
                .unimplemented,
                "this version stores passwords and certificates, no items of class \(item.itemClass.name)")
        }
        // A certificate is no secret: who waits for a connection while the device is locked needs it.
        let accessibility = item.accessibility ?? (item.itemClass == .certificate ? .always : .whenUnlocked)
        try item.secret.requireRoom()
        return RowContext(
            store: identifier, row: ItemIdentifier(), version: 1, itemClass: item.itemClass,
            accessibility: accessibility, isSynchronizable: item.isSynchronizable, isTombstone: false,
            groupDigest: digests.group(group), constraints: item.constraints?.unbound)
    }

    private static func attributes(ofNew item: NewItem, group: AccessGroup, now: Double) -> AttributeSet {
        var attributes = item.attributes
        let schema = AttributeSchema.of(item.itemClass)
        for key in schema.uniqueKeys where attributes[key] == nil {
            attributes[key] = schema.uniqueDefault(for: key)
        }
        attributes[.accessGroup] = .text(group.text)
        attributes[.creationDate] = .date(now)
        attributes[.modificationDate] = .date(now)
        return attributes
    }
}
