import ChatelaineModel
import ItemStore

/// Certificates by their subjects, which may stand above those that are judged: of the same keychain, such as the program may see.
struct StoredIssuers {
    /// One by one: nothing but what goes with the question is held meanwhile.
    private var walk = IssuerLookup<ItemIdentifier>(readsAtOnce: 1)

    /// Those of its issuer, theirs, and so on, as far as there is room in a question.
    mutating func above(
        _ certificate: FoundItem, _ der: [UInt8], _ look: RowSearch
    ) throws(KeychainError) -> [[UInt8]] {
        try walk.above([der], issuedBy: [certificate.issuerName].compactMap { $0 }) {
            (subject) throws(KeychainError) in
            try Self.named(subject, look)
        } read: { (identifiers) throws(KeychainError) in
            try Self.issuers(identifiers, look)
        }
    }

    /// As many as are looked at.
    private static func named(
        _ subject: [UInt8], _ look: RowSearch
    ) throws(KeychainError) -> [ItemIdentifier] {
        var query = ItemQuery(itemClass: .certificate)
        query.attributes[.subject] = .data(subject)
        (query.synchronizable, query.limit) = (.any, .count(CertificateLimits.maximumIssuersOfOneName))
        return try query.readable(look).map(\.identifier)
    }

    private static func issuers(
        _ identifiers: [ItemIdentifier], _ look: RowSearch
    ) throws(KeychainError) -> [ItemIdentifier: IssuerLookup<ItemIdentifier>.Issuer] {
        var query = ItemQuery(itemClass: .certificate)
        query.items = identifiers
        (query.synchronizable, query.limit, query.returns) = (.any, .all, [.attributes, .data])
        var issuers: [ItemIdentifier: IssuerLookup<ItemIdentifier>.Issuer] = [:]
        for item in try query.readable(look) {
            guard let der = item.secret?.withUnsafeBytes({ [UInt8]($0) }) else { continue }
            issuers[item.identifier] = .init(der: der, issuer: item.issuerName)
        }
        return issuers
    }
}

extension FoundItem {
    /// The normalised name of who issued a certificate.
    fileprivate var issuerName: [UInt8]? {
        guard case .data(let name)? = attributes[.issuer] else { return nil }
        return name
    }
}

extension ItemQuery {
    /// What can be read now: what a locked class keeps is as if it were not there, and others of its name may be.
    ///
    /// - Throws: besides, why nothing can be read where that is so of every class: the keychain has been locked.
    func readable(_ look: RowSearch) throws(KeychainError) -> [FoundItem] {
        let locked: KeychainError
        switch try unlessLocked(look) {
        case .success(let found): return found
        case .failure(let error): locked = error
        }
        var (found, isReadable) = ([FoundItem](), false)
        for accessibility in Accessibility.allCases {
            var query = self
            query.accessibility = accessibility
            guard case .success(let items) = try query.unlessLocked(look) else { continue }
            isReadable = true
            found += items
        }
        guard isReadable else { throw locked }
        return found
    }

    private func unlessLocked(_ look: RowSearch) throws(KeychainError) -> Result<[FoundItem], KeychainError> {
        do throws(KeychainError) { return .success(try look(self)) } catch {
            guard error.status == .interactionNotAllowed else { throw error }
            return .failure(error)
        }
    }
}
