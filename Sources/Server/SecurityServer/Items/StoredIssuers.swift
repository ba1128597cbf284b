import ChatelaineModel
import ItemStore

/// Certificates by their subjects, which may stand above those that are judged: of the same keychain, such as the program may see.
///
/// They are found by name first, and read one by one while a question has room: whoever stores many large ones under one name
/// fills no memory with them.
struct StoredIssuers {
    private struct Issuer {
        let der: [UInt8]
        let name: AttributeValue?
    }

    /// Bytes of certificates that are kept for the next question: those of the largest question several times.
    private static let maximumKnownBytes = 4 * TrustLimits.maximumQuestionBytes

    /// As far as they were looked for.
    private var identifiers: [AttributeValue: [ItemIdentifier]] = [:]
    private var known: [ItemIdentifier: Issuer] = [:]
    private var knownBytes = 0

    /// Those of its issuer, theirs, and so on, as far as there is room in a question.
    mutating func above(
        _ certificate: FoundItem, _ der: [UInt8], _ look: RowSearch
    ) throws(KeychainError) -> [[UInt8]] {
        var above: [[UInt8]] = []
        var seen: Set<[UInt8]> = [der]
        var seenNames: Set<AttributeValue> = []
        var room = TrustLimits.maximumQuestionBytes - der.count
        var names = [certificate.attributes[.issuer]].compactMap { $0 }
        for _ in 0..<CertificateLimits.maximumChain {
            var next: [AttributeValue] = []
            for name in names where seenNames.insert(name).inserted {
                for identifier in try named(name, look) {
                    guard let issuer = try issuer(identifier, look), seen.insert(issuer.der).inserted else { continue }
                    guard above.count < TrustLimits.maximumCertificates - 1, issuer.der.count <= room else {
                        return above
                    }
                    above.append(issuer.der)
                    room -= issuer.der.count
                    if let name = issuer.name { next.append(name) }
                }
            }
            guard !next.isEmpty else { break }
            names = next
        }
        return above
    }

    /// As many as a question has room for.
    private mutating func named(
        _ subject: AttributeValue, _ look: RowSearch
    ) throws(KeychainError) -> [ItemIdentifier] {
        if let known = identifiers[subject] { return known }
        var query = ItemQuery(itemClass: .certificate)
        query.attributes[.subject] = subject
        (query.synchronizable, query.limit) = (.any, .count(TrustLimits.maximumCertificates))
        let found = try query.readable(look).map(\.identifier)
        identifiers[subject] = found
        return found
    }

    /// Nil for what is gone, locked, or larger than is looked at.
    private mutating func issuer(
        _ identifier: ItemIdentifier, _ look: RowSearch
    ) throws(KeychainError) -> Issuer? {
        if let known = known[identifier] { return known }
        var query = ItemQuery(itemClass: .certificate)
        query.items = [identifier]
        (query.synchronizable, query.returns) = (.any, [.attributes, .data])
        guard let item = try query.readable(look).first,
            let der = item.secret?.withUnsafeBytes({ [UInt8]($0) }), !der.isEmpty,
            der.count <= TrustLimits.maximumCertificateBytes
        else { return nil }
        let issuer = Issuer(der: der, name: item.attributes[.issuer])
        if knownBytes + der.count <= Self.maximumKnownBytes {
            known[identifier] = issuer
            knownBytes += der.count
        }
        return issuer
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
