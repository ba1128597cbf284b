import ChatelaineModel
import ItemStore

/// Finds stored certificates that may be issuers of judged ones: of the same keychain, as far as the program may see
/// them.
struct StoredIssuers {
    /// Certificates are read one by one, so that only those of the question are in memory.
    private var walk = IssuerLookup<ItemIdentifier>(readsAtOnce: 1)

    /// The certificates of the issuer, of its issuer, and so on, as far as a question has room.
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

    /// The certificates of one subject, up to the limit.
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
    /// The normalised name of the issuer of a certificate.
    fileprivate var issuerName: [UInt8]? {
        guard case .data(let name)? = attributes[.issuer] else { return nil }
        return name
    }
}

extension ItemQuery {
    /// The items that can be read now.
    ///
    /// Items of a locked protection class count as missing, and others of the same name may be readable.
    ///
    /// - Throws: what `look` throws; and where every class is locked, the error of the locked keychain.
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
            guard error.cause == .locked else { throw error }
            return .failure(error)
        }
    }
}
