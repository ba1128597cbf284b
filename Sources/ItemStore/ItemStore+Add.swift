import ChatelaineMemory
import ChatelaineModel

extension ItemStore {
    /// Adds an item to an access group.
    ///
    /// Unique attributes that are missing get their defaults, dates that are missing are now, the protection class is
    /// when-unlocked (behaviour A.3 and A.4). A tombstone of the same item is no obstacle.
    ///
    /// - Parameters:
    ///   - item: class, attributes and secret; `synchronizable` is `.local` or `.synchronizable`.
    ///   - group: a group that the caller may write to; the server has checked that.
    ///   - request: answered once, however often it comes.
    /// - Returns: the item with what its return types ask for.
    /// - Throws: `errSecDuplicateItem` when an item with the same unique attributes is there; `errSecUnimplemented` for
    ///   classes other than passwords; `errSecDataTooLarge`; `errSecParam`; what the key custodian and the disk say.
    public func add(
        _ item: ItemQuery, group: String, request: ChangeRequest
    ) throws(KeychainError) -> FoundItem {
        let context = try context(ofNew: item, group: group)
        let metadata = ItemMetadata(
            secretVersion: item.secret == nil ? 0 : context.version,
            attributes: Self.attributes(ofNew: item, group: group, now: clock.now()))
        var prepared: PreparedRow?
        let answer = try repeating(request, isBlind: true) { () throws(KeychainError) in
            let row: PreparedRow
            if let ready = prepared {
                row = ready
            } else {
                let secret = try item.secret.map { (secret) throws(KeychainError) in
                    try sealer.seal([(context, secret)])
                }
                row = try sealer.seal(metadata, at: context, secret: .written(secret?.first))
                try bring(uniqueDigests: [row.uniqueDigest])
            }
            prepared = row
            return { (session) throws(KeychainError) in
                do throws(KeychainError) {
                    try session.insert(row)
                } catch {
                    guard error.status == .duplicateItem else { throw error }
                    return .conflict(uniqueDigest: row.uniqueDigest)
                }
                try session.record(request, item: context.row)
                return .done
            }
        }
        if let answer { return try repeated(answer, item, group: group, metadata) }
        return found(context, metadata, item)
    }

    private func found(_ context: RowContext, _ metadata: ItemMetadata, _ item: ItemQuery) -> FoundItem {
        FoundItem(
            identifier: context.row, itemClass: context.itemClass, accessibility: context.accessibility,
            isSynchronizable: context.isSynchronizable,
            attributes: item.returns.includeAttributes ? EncodedAttributes(metadata.attributes) : nil,
            secret: item.returns.contains(.data) ? item.secret : nil)
    }

    /// The first answer once more: the item as it is now or, where it is gone since, as it was described.
    private func repeated(
        _ answer: FirstAnswer, _ item: ItemQuery, group: String, _ metadata: ItemMetadata
    ) throws(KeychainError) -> FoundItem {
        guard let identifier = answer.item else {
            throw KeychainError(.param, "the number of this request has been used for another one")
        }
        var query = ItemQuery(itemClass: item.itemClass)
        query.identifier = identifier
        query.synchronizable = .any
        query.returns = item.returns
        if let now = try find(query, groups: [group]).first { return now }
        var context = try context(ofNew: item, group: group)
        context.row = identifier
        return found(context, metadata, item)
    }

    private func context(ofNew item: ItemQuery, group: String) throws(KeychainError) -> RowContext {
        guard item.itemClass == .genericPassword || item.itemClass == .internetPassword else {
            throw KeychainError(
                .unimplemented, "this version stores passwords, no items of class \(item.itemClass.name)")
        }
        guard item.synchronizable != .any, item.identifier == nil else {
            throw KeychainError(.param, "an item to add is synchronizable or not, and has no reference yet")
        }
        let accessibility = item.accessibility ?? .whenUnlocked
        let isSynchronizable = item.synchronizable == .synchronizable
        guard !(isSynchronizable && accessibility.isThisDeviceOnly) else {
            throw KeychainError.synchronizableThisDeviceOnly
        }
        try Self.check(item.secret)
        return RowContext(
            store: identifier, row: ItemIdentifier(), version: 1, itemClass: item.itemClass,
            accessibility: accessibility, isSynchronizable: isSynchronizable, isTombstone: false,
            groupDigest: digests.group(group))
    }

    static func check(_ secret: SecretBytes?) throws(KeychainError) {
        guard let secret, secret.count > Limits.secretBytes else { return }
        throw KeychainError(
            .dataTooLarge, "the secret has \(secret.count) bytes; an item holds \(Limits.secretBytes) at most")
    }

    private static func attributes(ofNew item: ItemQuery, group: String, now: Double) -> AttributeSet {
        var attributes = item.attributes
        let schema = AttributeSchema.of(item.itemClass)
        for key in schema.uniqueKeys where attributes[key] == nil {
            attributes[key] = schema.uniqueDefault(for: key)
        }
        attributes[.accessGroup] = .text(group)
        if attributes[.creationDate] == nil { attributes[.creationDate] = .date(now) }
        if attributes[.modificationDate] == nil { attributes[.modificationDate] = .date(now) }
        return attributes
    }
}
