import ChatelaineIPC
import ChatelaineModel

/// File keychains whose certificates may stand between that which is judged and an anchor (`SecTrustSetKeychains`), and are none themselves.
package enum ChainKeychains: Hashable, Sendable {
    case none
    case searchList
    case these([SecKeychain])

    /// Certificates that issued those of a question, by their names, and those that issued them: as many as fit into it.
    ///
    /// A keychain that is gone, or that nobody can read, has none.
    ///
    /// - Throws: `errSecNotAvailable` where nobody can look.
    func issuers(for question: TrustQuestion) throws(KeychainError) -> [[UInt8]] {
        let scope: KeychainScope
        switch self {
        case .none: return []
        case .searchList: scope = KeychainScope()
        case .these(let keychains): scope = try KeychainPasswordCalls.scope(of: keychains)
        }
        let bytes = question.byteCount - question.certificates.reduce(0) { $0 + $1.count }
        var walk = IssuerLookup<KeychainItemReference>(readsAtOnce: CertificateLimits.issuersReadAtOnce)
        return try walk.above(
            question.certificates, issuedBy: try Self.issuers(of: question.certificates), besides: bytes
        ) { (subject) throws(KeychainError) in
            var query = ItemQuery(itemClass: .certificate)
            query.attributes[.subject] = .data(subject)
            query.limit = .count(CertificateLimits.maximumIssuersOfOneName)
            return try Self.certificates(query, in: scope).map(\.reference)
        } read: { (references) throws(KeychainError) in
            try Self.read(references, in: scope)
        }
    }

    /// Normalised names of those who issued certificates, of the first ones where there are many.
    private static func issuers(of certificates: [[UInt8]]) throws(KeychainError) -> [[UInt8]] {
        var (batch, bytes) = ([[UInt8]](), 0)
        for der in certificates.prefix(CertificateLimits.maximumBatch) {
            bytes += der.count
            guard bytes <= CertificateLimits.maximumBatchBytes else { break }
            batch.append(der)
        }
        return try KeychainClient.shared.read(certificates: batch).compactMap { reading in
            if case .report(let report) = reading { report.issuer.normalized } else { nil }
        }
    }

    private static func read(
        _ references: [KeychainItemReference], in scope: KeychainScope
    ) throws(KeychainError) -> [KeychainItemReference: IssuerLookup<KeychainItemReference>.Issuer] {
        var query = ItemQuery(itemClass: .certificate)
        (query.limit, query.returns) = (.all, [.attributes, .data])
        var issuers: [KeychainItemReference: IssuerLookup<KeychainItemReference>.Issuer] = [:]
        for item in try certificates(query, in: KeychainScope(paths: scope.paths, items: references)) {
            guard let der = item.item.secret?.withUnsafeBytes({ [UInt8]($0) }) else { continue }
            let issuer: [UInt8]? = if case .data(let name)? = item.item.attributes[.issuer] { name } else { nil }
            issuers[item.reference] = .init(der: der, issuer: issuer)
        }
        return issuers
    }

    /// None where a keychain is gone, or nobody can read it. Where nobody could look, the evaluation fails: it would be said to lack what is there.
    private static func certificates(
        _ query: ItemQuery, in scope: KeychainScope
    ) throws(KeychainError) -> [KeychainItem] {
        var query = query
        query.authenticationUI = .fail
        do throws(KeychainError) { return try KeychainClient.shared.find(query, in: scope) } catch {
            switch error.status {
            case .notAvailable, .param, .dataTooLarge, .allocate, .internalComponent: throw error
            default: return []
            }
        }
    }
}
