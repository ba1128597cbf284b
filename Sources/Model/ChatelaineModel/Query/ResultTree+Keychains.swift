extension ResultTree {
    /// The result of a search in file keychains that found `items`.
    package static func shape(_ items: [KeychainItem], for query: ItemQuery) -> ResultTree? {
        guard query.limit == .one else { return .array(items.compactMap { shape($0, for: query.returns) }) }
        return items.first.flatMap { shape($0, for: query.returns) }
    }

    /// The result of an addition, or nil where it asks for nothing.
    package static func shape(added item: KeychainItem, for returns: ReturnTypes) -> ResultTree? {
        shape(item, for: returns) ?? (returns == .data ? .data([]) : nil)
    }

    private static func shape(_ item: KeychainItem, for returns: ReturnTypes) -> ResultTree? {
        switch returns {
        case []: nil
        case .data: item.item.secret.map { .secret($0) }
        case .persistentReference: .data(item.reference.bytes)
        case .reference: reference(to: item)
        default: .dictionary(pairs(of: item, for: returns))
        }
    }

    /// An object that stands for the item: of a certificate, a key and an identity, that.
    private static func reference(to item: KeychainItem) -> ResultTree {
        let (handle, found) = (item.handle, item.item)
        if let der = found.secret?.withUnsafeBytes({ [UInt8]($0) }) {
            if found.itemClass == .certificate { return .certificate(der, at: handle) }
            if found.itemClass == .identity, let key = found.key, let keyItem = found.keyItem {
                return .identity(
                    certificate: der, KeyReference(handle.naming(.key, keyItem), key), at: handle)
            }
        }
        return found.key.map { .key(KeyReference(handle, $0)) } ?? .keychainItem(handle)
    }

    private static func pairs(of item: KeychainItem, for returns: ReturnTypes) -> [(key: String, value: ResultTree)] {
        var pairs: [(key: String, value: ResultTree)] = [(QueryKey.itemClass, .text(item.item.itemClass.name))]
        if returns.contains(.attributes) {
            for entry in item.item.attributes.entries where entry.key != .accessGroup {
                pairs.append((entry.key.name, ResultTree(entry.value)))
            }
        }
        if returns.contains(.reference) { pairs.append((QueryKey.valueReference, reference(to: item))) }
        if returns.contains(.data), let secret = item.item.secret {
            pairs.append((QueryKey.valueData, .secret(secret)))
        }
        if returns.contains(.persistentReference) {
            pairs.append((QueryKey.valuePersistentReference, .data(item.reference.bytes)))
        }
        return pairs
    }
}
