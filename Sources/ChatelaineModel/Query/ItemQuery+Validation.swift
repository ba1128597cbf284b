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
        guard operation == .find || authenticationUI != .skip else {
            throw KeychainError(.param, "kSecUseAuthenticationUISkip is for SecItemCopyMatching only")
        }
        guard operation == .find || host == nil else {
            throw KeychainError(.param, "kSecMatchHostOrSubdomainOfHost is for SecItemCopyMatching only")
        }
        guard operation == .add else { return }
        guard synchronizable != .any else {
            throw KeychainError(.param, "an item to add is described by its attributes")
        }
        if synchronizable == .synchronizable, accessibility?.isThisDeviceOnly == true {
            throw KeychainError.synchronizableThisDeviceOnly
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
        if isSynchronizable == true, accessibility?.isThisDeviceOnly == true {
            throw KeychainError.synchronizableThisDeviceOnly
        }
    }
}

extension AttributeSet {
    fileprivate func validate(for itemClass: ItemClass) throws(KeychainError) {
        let schema = AttributeSchema.of(itemClass)
        for entry in entries {
            guard let kind = schema.kind(of: entry.key) else {
                throw KeychainError(
                    .noSuchAttribute, "items of class \(itemClass.name) have no attribute “\(entry.key.name)”")
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
                throw KeychainError(.param, "the attribute “\(entry.key.name)” has a value of the wrong type")
            }
        }
    }
}

extension ItemQuery {
    /// A persistent reference stands alone, and names no item to add (behaviour A.4, A.6).
    func requireLoneIdentifier(for operation: QueryOperation) throws(KeychainError) {
        guard identifier != nil else { return }
        guard operation != .add else { throw KeychainError(.param, "SecItemAdd takes no persistent reference") }
        guard attributes.isEmpty, accessGroup == nil, accessibility == nil, host == nil else {
            throw KeychainError(.param, "a persistent reference cannot be combined with search attributes")
        }
    }

    func requireRoom() throws(KeychainError) {
        try attributes.requireRoom(besides: (accessGroup?.utf8.count ?? 0) + (host?.utf8.count ?? 0))
    }
}

extension ItemChange {
    func requireRoom() throws(KeychainError) { try attributes.requireRoom(besides: accessGroup?.utf8.count ?? 0) }
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
