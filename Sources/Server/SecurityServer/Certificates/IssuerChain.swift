import ChatelaineModel
import ItemStore

/// Follows the issuers of certificates, among those that the caller may see.
struct IssuerChain {
    /// The wanted issuers, by normalised names.
    let wanted: Set<[UInt8]>
    /// The issuers of a subject, as far as they were searched for.
    private var known: [[UInt8]: [[UInt8]]] = [:]

    init(_ wanted: Set<[UInt8]>) { self.wanted = wanted }

    mutating func leads(from certificate: AttributeSet, _ look: RowSearch) throws(KeychainError) -> Bool {
        guard let first = Self.issuer(of: certificate) else { return false }
        var (level, seen) = ([first], Set([first]))
        for _ in 0..<CertificateLimits.maximumChain {
            if level.contains(where: wanted.contains) { return true }
            var next: [[UInt8]] = []
            // Each name is visited once, so that a loop ends and many certificates of one name cost little.
            for name in level {
                for issuer in try issuers(above: name, look) where seen.insert(issuer).inserted { next.append(issuer) }
            }
            guard !next.isEmpty else { return false }
            level = next
        }
        return false
    }

    private mutating func issuers(above subject: [UInt8], _ look: RowSearch) throws(KeychainError) -> [[UInt8]] {
        if let known = known[subject] { return known }
        var query = ItemQuery(itemClass: .certificate)
        query.attributes[.subject] = .data(subject)
        let most = CertificateLimits.maximumIssuersOfOneName
        (query.synchronizable, query.limit, query.returns) = (.any, .count(most + 1), .attributes)
        let rows = try query.readable(look)
        guard rows.count <= most else {
            throw KeychainError(
                cause: .request, status: .param,
                "more than \(most) certificates have the subject of one that issued a certificate that was found: nobody looks through all of them for issuers"
            )
        }
        let found = rows.compactMap { Self.issuer(of: $0.attributes) }
        known[subject] = found
        return found
    }

    private static func issuer(of attributes: AttributeSet) -> [UInt8]? {
        guard case .data(let name)? = attributes[.issuer] else { return nil }
        return name
    }
}
