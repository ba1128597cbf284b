extension ResultTree {
    /// The result of a search in file keychains that found `items`.
    ///
    /// - Parameter context: the context of the query, which the keys in the result keep.
    package static func shape(
        _ items: [KeychainItem], for query: ItemQuery, in context: (any QueryContext)? = nil
    ) -> ResultTree? {
        guard query.limit == .one else { return .array(items.compactMap { shape($0, for: query.returns, context) }) }
        return items.first.flatMap { shape($0, for: query.returns, context) }
    }

    /// The result of an addition, or nil if it asks for nothing.
    package static func shape(
        added item: KeychainItem, for returns: ReturnTypes, in context: (any QueryContext)? = nil
    ) -> ResultTree? {
        shape(item, for: returns, context) ?? (returns == .data ? .data([]) : nil)
    }

    private static func shape(
        _ item: KeychainItem, for returns: ReturnTypes, _ context: (any QueryContext)?
    ) -> ResultTree? {
        switch returns {
        case []: nil
        case .data: item.item.secret.map { .secret($0) }
        case .persistentReference: .data(item.reference.bytes)
        case .reference: reference(to: item, context)
        default: .dictionary(pairs(of: item, for: returns, context))
        }
    }

    /// An object for the item: a certificate, key or identity if it is one, otherwise a reference.
    private static func reference(to item: KeychainItem, _ context: (any QueryContext)?) -> ResultTree {
        let (handle, found) = (item.handle, item.item)
        if let der = found.secret?.withUnsafeBytes({ [UInt8]($0) }) {
            if found.itemClass == .certificate { return .certificate(der, at: handle) }
            if found.itemClass == .identity, let key = found.key, let keyItem = found.keyItem {
                let reference = KeyReference(handle.naming(.key, keyItem), key, context: context)
                return .identity(certificate: der, reference, at: handle)
            }
        }
        if let key = found.symmetricKey(at: .file(handle), context) { return key }
        if let key = found.key, key.kind != .aes { return .key(KeyReference(handle, key, context: context)) }
        return .keychainItem(handle)
    }

    private static func pairs(
        of item: KeychainItem, for returns: ReturnTypes, _ context: (any QueryContext)?
    ) -> [(key: String, value: ResultTree)] {
        var pairs: [(key: String, value: ResultTree)] = [(QueryKey.itemClass, .text(item.item.itemClass.name))]
        if returns.contains(.attributes) {
            for entry in item.item.attributes.entries where entry.key != .accessGroup {
                pairs.append((entry.key.name, ResultTree(entry.value)))
            }
        }
        if returns.contains(.reference) { pairs.append((QueryKey.valueReference, reference(to: item, context))) }
        if returns.contains(.data), let secret = item.item.secret {
            pairs.append((QueryKey.valueData, .secret(secret)))
        }
        if returns.contains(.persistentReference) {
            pairs.append((QueryKey.valuePersistentReference, .data(item.reference.bytes)))
        }
        return pairs
    }
}
