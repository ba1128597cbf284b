extension ResultTree {
    /// The result of a search that found `items` (behaviour/finding.md, 15 to 24).
    ///
    /// Nil if the query asks for nothing, or for the data of an item that has none.
    ///
    /// One return type gives the object itself, several a dictionary; a limit above one gives an array of either.
    ///
    /// - Parameter context: the context of the query, which the keys in the result keep.
    package static func shape(
        _ items: [FoundItem], for query: ItemQuery, in context: (any QueryContext)? = nil
    ) -> ResultTree? {
        guard query.limit == .one else { return .array(items.compactMap { shape($0, for: query.returns, context) }) }
        return items.first.flatMap { shape($0, for: query.returns, context) }
    }

    /// The result of an addition (behaviour/adding.md, 13 and 14), or nil if it asks for nothing.
    package static func shape(
        added item: FoundItem, for returns: ReturnTypes, in context: (any QueryContext)? = nil
    ) -> ResultTree? {
        shape(item, for: returns, context) ?? (returns == .data ? .data([]) : nil)
    }

    private static func shape(
        _ item: FoundItem, for returns: ReturnTypes, _ context: (any QueryContext)?
    ) -> ResultTree? {
        switch returns {
        case []: nil
        case .data: item.secret.map { .secret($0) }
        case .persistentReference: .data(item.persistentReference.bytes)
        case .reference: reference(to: item, context)
        default: .dictionary(pairs(of: item, for: returns, context))
        }
    }

    /// An object for the item: a certificate, key or identity if it is one, otherwise a reference.
    private static func reference(to item: FoundItem, _ context: (any QueryContext)?) -> ResultTree {
        if item.itemClass == .identity, let der = item.secret, let key = item.key, let keyItem = item.keyItem {
            let reference = PersistentReference(itemClass: .key, identifier: keyItem)
            return .identity(
                certificate: der.withUnsafeBytes { [UInt8]($0) }, KeyReference(reference, key, context: context))
        }
        if item.itemClass == .certificate, let der = item.secret {
            return .certificate(der.withUnsafeBytes { [UInt8]($0) })
        }
        if let key = item.symmetricKey(at: .dataProtection(item.persistentReference), context) { return key }
        if let key = item.key, key.kind != .aes {
            return .key(KeyReference(item.persistentReference, key, context: context))
        }
        return .reference(item.persistentReference)
    }

    private static func pairs(
        of item: FoundItem, for returns: ReturnTypes, _ context: (any QueryContext)?
    ) -> [(key: String, value: ResultTree)] {
        var pairs: [(key: String, value: ResultTree)] = []
        let attributes = item.attributes
        pairs.reserveCapacity(attributes.count + 7)
        for entry in attributes.entries { pairs.append((entry.key.name, ResultTree(entry.value))) }
        pairs += protection(of: item)
        if returns.contains(.reference) {
            pairs.append((QueryKey.itemClass, .text(item.itemClass.name)))
            pairs.append((QueryKey.valueReference, reference(to: item, context)))
        }
        if returns.contains(.data), let secret = item.secret { pairs.append((QueryKey.valueData, .secret(secret))) }
        if returns.contains(.persistentReference) {
            pairs.append((QueryKey.valuePersistentReference, .data(item.persistentReference.bytes)))
        }
        return pairs
    }

    /// The attributes of an item's protection, which are no part of what describes it.
    package static func protection(of item: FoundItem) -> [(key: String, value: ResultTree)] {
        [
            (AttributeKey.accessible.name, .text(item.accessibility.name)),
            (AttributeKey.accessControl.name, .accessControl(item.accessControl)),
            (AttributeKey.synchronizable.name, .number(item.isSynchronizable ? 1 : 0)),
        ]
    }

    package init(_ value: AttributeValue) {
        switch value {
        case .text(let text): self = .text(text)
        case .data(let data): self = .data(data)
        case .number(let number): self = .number(number)
        case .date(let seconds): self = .date(seconds)
        }
    }
}

extension FoundItem {
    /// An object for an AES key; nil for everything else.
    func symmetricKey(at place: SymmetricKeyReference.Place, _ context: (any QueryContext)?) -> ResultTree? {
        aesBits.map {
            .symmetricKey(
                SymmetricKeyReference(place, bits: $0, isKeptInside: key?.kind == .aes, context: context))
        }
    }

    /// The size of an AES key; nil for everything else, and if the attributes were not asked for.
    package var aesBits: Int? {
        guard itemClass == .key, key == nil || key?.kind == .aes else { return nil }
        let attributes = attributes
        guard attributes[.keyClass] == .number(KeyHalf.symmetric.rawValue),
            attributes[.type] == .number(KeyAttributes.aesType), case .number(let bits)? = attributes[.keySize]
        else { return nil }
        return Int(exactly: bits).flatMap { KeyAttributes.aesSizes.contains($0) ? $0 : nil }
    }

    package var persistentReference: PersistentReference {
        PersistentReference(itemClass: itemClass, identifier: identifier)
    }
}
