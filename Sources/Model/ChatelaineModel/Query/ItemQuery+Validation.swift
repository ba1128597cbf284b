extension ItemQuery {
    /// Throws if the query breaks a rule, whether it comes from a dictionary or from a client that may not have checked
    /// it.
    package func validate(for operation: SearchOperation) throws(KeychainError) {
        try attributes.validate(for: itemClass)
        try attributes.requireRoom(besides: (accessGroup?.text.utf8.count ?? 0) + (host?.utf8.count ?? 0))
        guard host == nil || itemClass == .internetPassword else {
            throw KeychainError(.unimplemented, "kSecMatchHostOrSubdomainOfHost is for internet passwords")
        }
        guard constraints == .any || accessibility != nil else { throw AccessControl.incomplete }
        try requireLoneIdentifier()
        try requireItems()
        try certificateTerms.validate(for: itemClass, operation)
        guard operation == .find || authenticationUI != .skip else { throw KeychainError.skipsOutsideSearch() }
        guard operation == .find || host == nil else {
            throw KeychainError(.param, "kSecMatchHostOrSubdomainOfHost is for SecItemCopyMatching only")
        }
        guard operation == .find || !ignoresCase else {
            throw KeychainError(.param, "kSecMatchCaseInsensitive is for SecItemCopyMatching only")
        }
    }

    /// Throws if the query names anything besides a persistent reference (behaviour/references.md, 11).
    func requireLoneIdentifier() throws(KeychainError) {
        guard identifier != nil else { return }
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

    private func requireItems() throws(KeychainError) {
        if let certificates {
            guard itemClass == .certificate || itemClass == .identity, identifier == nil else {
                throw KeychainError(
                    .param, "certificates have no place in a query for other items, or for one by its name")
            }
            guard items?.isEmpty ?? true else {
                throw KeychainError(.param, "a query lists certificates or references to items, and not both")
            }
            guard certificates.count <= CertificateLimits.maximumBatch,
                certificates.reduce(0, { $0 + $1.count }) <= CertificateLimits.maximumBatchBytes
            else {
                throw KeychainError(
                    .param, "a query lists \(CertificateLimits.maximumBatch) certificates at most")
            }
        }
        guard let items else { return }
        guard identifier == nil else {
            throw KeychainError(.param, "a list of items has no place beside a persistent reference")
        }
        guard items.count <= Limits.listedItems else { throw KeychainError.tooManyItems(in: QueryKey.matchItemList) }
    }
}

extension ItemChange {
    /// Throws if the change breaks a rule, as ``ItemQuery/validate(for:)`` does.
    package func validate(for itemClass: ItemClass) throws(KeychainError) {
        try attributes.validate(for: itemClass)
        try attributes.requireRoom(besides: accessGroup?.text.utf8.count ?? 0)
        try secret.requireRoom()
        try AccessControl.validate(constraints, with: accessibility, isSynchronizable: isSynchronizable ?? false)
    }
}
