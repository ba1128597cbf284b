extension ItemQuery {
    /// Checks what arrived over a socket as ``QueryParser`` checks a dictionary: the sender may not have.
    public func validate(for operation: QueryOperation) throws(KeychainError) {
        try attributes.validate(for: itemClass)
        try requireRoom()
        guard (secret?.count ?? 0) <= Limits.secretBytes else {
            throw KeychainError(.dataTooLarge, "an item holds \(Limits.secretBytes) bytes at most")
        }
        guard host == nil || itemClass == .internetPassword else {
            throw KeychainError(.unimplemented, "kSecMatchHostOrSubdomainOfHost is for internet passwords")
        }
        try requireLoneIdentifier(for: operation)
        try requireItems(for: operation)
        guard operation == .find || authenticationUI != .skip else {
            throw KeychainError(.param, "kSecUseAuthenticationUISkip is for SecItemCopyMatching only")
        }
        guard operation == .find || host == nil else {
            throw KeychainError(.param, "kSecMatchHostOrSubdomainOfHost is for SecItemCopyMatching only")
        }
        guard operation == .add else { return }
        guard synchronizable != .any else {
            throw KeychainError(.param, "kSecAttrSynchronizableAny is for searches; an item is one or the other")
        }
    }
}

extension ItemChange {
    /// As ``ItemQuery/validate(for:)``.
    public func validate(for itemClass: ItemClass) throws(KeychainError) {
        try attributes.validate(for: itemClass)
        try requireRoom()
        guard (secret?.count ?? 0) <= Limits.secretBytes else {
            throw KeychainError(.dataTooLarge, "an item holds \(Limits.secretBytes) bytes at most")
        }
    }
}

extension AttributeSet {
    fileprivate func validate(for itemClass: ItemClass) throws(KeychainError) {
        let schema = AttributeSchema.of(itemClass)
        for entry in entries {
            guard let kind = schema.kind(of: entry.key) else {
                throw KeychainError.noAttribute(entry.key.name, of: itemClass)
            }
            let fits =
                switch (kind, entry.value) {
                case (.blob, .text), (.blob, .data), (.blob, .number): true
                case (.string, .text): entry.key != .accessGroup
                case (.data, .data): true
                case (.number, .number): true
                case (.number, .text(let text)): AttributeValue.decimal(text) == nil
                case (.date, .date(let seconds)): seconds.isFinite
                default: false
                }
            guard fits else {
                throw KeychainError(.param, "the value of \(KeyName.of(entry.key, in: itemClass)) has the wrong type")
            }
        }
    }
}

extension ItemQuery {
    /// A persistent reference stands alone, and names no item to add
    /// (behaviour/references.md, 11; behaviour/adding.md, 19).
    func requireLoneIdentifier(for operation: QueryOperation) throws(KeychainError) {
        guard identifier != nil else { return }
        guard operation != .add else {
            throw KeychainError(.param, "kSecAttrPersistentReference has no place in SecItemAdd")
        }
        let others =
            attributes.entries.map { KeyName.of($0.key, in: itemClass) }
            + [
                accessGroup.map { _ in KeyName.of(.accessGroup) }, accessibility.map { _ in KeyName.of(.accessible) },
                host.map { _ in KeyName.of(QueryKey.matchHost) },
            ].compactMap { $0 }
        guard others.isEmpty else {
            throw KeychainError(
                .param,
                "kSecValuePersistentRef names one item and cannot be combined with \(others.joined(separator: ", "))")
        }
    }

    private func requireItems(for operation: QueryOperation) throws(KeychainError) {
        guard let items else { return }
        guard operation != .add, identifier == nil else {
            throw KeychainError(.param, "a list of items has no place in an addition, or beside a persistent reference")
        }
        guard items.count <= Limits.listedItems else { throw KeychainError.tooManyItems(in: QueryKey.matchItemList) }
    }

    func requireRoom() throws(KeychainError) {
        try attributes.requireRoom(besides: (accessGroup?.text.utf8.count ?? 0) + (host?.utf8.count ?? 0))
    }
}

extension ItemChange {
    func requireRoom() throws(KeychainError) { try attributes.requireRoom(besides: accessGroup?.text.utf8.count ?? 0) }
}

extension AttributeSet {
    /// Holds the attributes and `others`, bytes that belong to them, to ``Limits/attributeBytes``.
    fileprivate func requireRoom(besides others: Int) throws(KeychainError) {
        // A key and the head of its value take 14 bytes at most, a number less.
        let own = entries.reduce(0) { sum, entry in
            switch entry.value {
            case .text(let text): sum + 14 + text.utf8.count
            case .data(let data): sum + 14 + data.count
            case .number, .date: sum + 14
            }
        }
        guard own + others <= Limits.attributeBytes else {
            throw KeychainError(
                .dataTooLarge, "the attributes of an item take \(Limits.attributeBytes) bytes at most")
        }
    }
}
