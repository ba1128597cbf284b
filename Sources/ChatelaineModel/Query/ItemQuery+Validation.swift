extension ItemQuery {
    /// Checks what arrived over a socket as ``QueryParser`` checks a dictionary: the sender may not have.
    public func validate(for operation: QueryOperation) throws(KeychainError) {
        try attributes.validate(for: itemClass)
        guard (secret?.count ?? 0) <= Limits.secretBytes else {
            throw KeychainError(.dataTooLarge, "an item holds \(Limits.secretBytes) bytes at most")
        }
        guard host == nil || itemClass == .internetPassword else {
            throw KeychainError(.unimplemented, "kSecMatchHostOrSubdomainOfHost is for internet passwords")
        }
        guard identifier == nil || (operation != .add && attributes.isEmpty) else {
            throw KeychainError(.param, "a persistent reference cannot be combined with attributes")
        }
        guard operation == .find || authenticationUI != .skip else {
            throw KeychainError(.param, "kSecUseAuthenticationUISkip is for SecItemCopyMatching only")
        }
        guard operation == .add else { return }
        guard synchronizable != .any, host == nil else {
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
                case (.number, .number), (.number, .text): true
                case (.date, .date(let seconds)): seconds.isFinite
                default: false
                }
            guard fits else {
                throw KeychainError(.param, "the attribute “\(entry.key.name)” has a value of the wrong type")
            }
        }
    }
}
