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
        var wanted = try Self.issuers(of: question.certificates)
        var (found, known, asked) = ([[UInt8]](), Set(question.certificates), Set<[UInt8]>())
        var room = TrustLimits.maximumQuestionBytes - question.byteCount
        for _ in 0..<CertificateLimits.maximumChain {
            var next: [[UInt8]] = []
            for name in wanted where asked.insert(name).inserted {
                for (der, issuer) in try Self.certificates(of: name, in: scope) where known.insert(der).inserted {
                    let isRoom = question.certificates.count + found.count < TrustLimits.maximumCertificates
                    guard isRoom, der.count <= min(room, TrustLimits.maximumCertificateBytes) else { continue }
                    room -= der.count
                    found.append(der)
                    if let issuer { next.append(issuer) }
                }
            }
            guard !next.isEmpty else { break }
            wanted = next
        }
        return found
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

    private static func certificates(
        of subject: [UInt8], in scope: KeychainScope
    ) throws(KeychainError) -> [(der: [UInt8], issuer: [UInt8]?)] {
        var query = ItemQuery(itemClass: .certificate)
        query.attributes[.subject] = .data(subject)
        (query.limit, query.returns, query.authenticationUI) = (.all, [.attributes, .data], .fail)
        let items: [KeychainItem]
        do throws(KeychainError) { items = try KeychainClient.shared.find(query, in: scope) } catch {
            guard error.status != .notAvailable else { throw error }
            return []
        }
        return items.compactMap { item in
            guard let der = item.item.secret?.withUnsafeBytes({ [UInt8]($0) }) else { return nil }
            guard case .data(let issuer)? = item.item.attributes[.issuer] else { return (der, nil) }
            return (der, issuer)
        }
    }
}
