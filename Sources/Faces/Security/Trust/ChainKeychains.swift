import ChatelaineIPC
import ChatelaineModel

/// The file keychains that supply intermediate certificates (`SecTrustSetKeychains`); their certificates are no
/// anchors.
package enum ChainKeychains: Hashable, Sendable {
    case none
    case searchList
    case these([SecKeychain])

    /// Returns the issuers of a question's certificates, found by name, and their issuers in turn: as many as fit
    /// into the question.
    ///
    /// A keychain that does not exist or cannot be read supplies no certificates.
    ///
    /// - Throws: `errSecNotAvailable` where securityd does not run.
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

    /// Normalised names of the issuers of the first certificates, up to the limits of one batch.
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

    /// Returns nothing for a keychain that does not exist or cannot be read.
    ///
    /// Where the search itself is impossible, the call throws: otherwise the evaluation would report a missing issuer
    /// that exists.
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
