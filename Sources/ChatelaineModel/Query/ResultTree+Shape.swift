extension ResultTree {
    /// The result of a call that found `items` (behaviour A.4 and A.5), or nil where the result pointer stays as it is.
    ///
    /// One return type gives the object itself, several a dictionary; a limit above one gives an array of either. A
    /// reference exists for no password (rulings, 12): it counts as a type, and nothing stands for it.
    public static func shape(_ items: [FoundItem], for query: ItemQuery) -> ResultTree? {
        guard !query.returns.isEmpty, query.returns != .reference else { return nil }
        guard query.limit == .one else { return .array(items.compactMap { shape($0, for: query.returns) }) }
        return items.first.flatMap { shape($0, for: query.returns) }
    }

    private static func shape(_ item: FoundItem, for returns: ReturnTypes) -> ResultTree? {
        switch returns {
        case .data: return item.secret.map { .secret($0) } ?? .data([])
        case .persistentReference: return .data(item.persistentReference.bytes)
        case .reference: return nil
        default: return .dictionary(pairs(of: item, for: returns))
        }
    }

    private static func pairs(of item: FoundItem, for returns: ReturnTypes) -> [(key: String, value: ResultTree)] {
        var pairs: [(key: String, value: ResultTree)] = []
        let attributes = item.attributes
        pairs.reserveCapacity(attributes.count + 6)
        for entry in attributes.entries { pairs.append((entry.key.name, ResultTree(entry.value))) }
        pairs.append((AttributeKey.accessible.name, .text(item.accessibility.name)))
        pairs.append((AttributeKey.accessControl.name, .accessControl(AccessControl(protection: item.accessibility))))
        pairs.append((AttributeKey.synchronizable.name, .number(item.isSynchronizable ? 1 : 0)))
        if returns.contains(.reference) { pairs.append((QueryKey.itemClass, .text(item.itemClass.name))) }
        if returns.contains(.data), let secret = item.secret { pairs.append((QueryKey.valueData, .secret(secret))) }
        if returns.contains(.persistentReference) {
            pairs.append((QueryKey.valuePersistentReference, .data(item.persistentReference.bytes)))
        }
        return pairs
    }

    private init(_ value: AttributeValue) {
        switch value {
        case .text(let text): self = .text(text)
        case .data(let data): self = .data(data)
        case .number(let number): self = .number(number)
        case .date(let seconds): self = .date(seconds)
        }
    }
}

extension FoundItem {
    public var persistentReference: PersistentReference {
        PersistentReference(itemClass: itemClass, identifier: identifier)
    }
}
