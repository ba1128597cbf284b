import ChatelaineModel

/// Certificates by their subjects, of which those go with a question about one that may have issued it.
///
/// All others would make the question larger than anybody looks at, where keychains have many or large ones.
final class IssuerCandidates {
    private struct Candidate {
        let der: [UInt8]
        /// Normalised.
        let issuer: [UInt8]?

        /// Nil of one that an evaluation does not look at.
        init?(_ certificate: StoredCertificate) {
            guard certificate.der.count <= TrustLimits.maximumCertificateBytes else { return nil }
            (der, issuer) = (certificate.der, certificate.issuerName)
        }
    }

    /// As far as they were looked for, where they are looked for one by one.
    private var bySubject: [[UInt8]: [Candidate]] = [:]
    private let search: CertificateSearch?

    /// - Parameter certificates: with what is in them.
    init(_ certificates: [StoredCertificate]) {
        search = nil
        for certificate in certificates {
            guard let subject = certificate.report?.subject.normalized, let candidate = Candidate(certificate) else {
                continue
            }
            bySubject[subject, default: []].append(candidate)
        }
    }

    /// Those of keychains, from an index, as they are needed.
    init(in search: CertificateSearch) { self.search = search }

    /// The certificate itself and then its issuers, theirs, and so on, as far as chains go and as there is room in a question.
    func chain(of certificate: StoredCertificate) throws(KeychainError) -> [[UInt8]] {
        var chain = [certificate.der]
        var seen: Set<[UInt8]> = [certificate.der]
        var room = TrustLimits.maximumQuestionBytes - certificate.der.count
        var names = [certificate.issuerName].compactMap { $0 }
        for _ in 1..<TrustLimits.maximumChain {
            var above: [[UInt8]] = []
            for name in names {
                for issuer in try named(name) where seen.insert(issuer.der).inserted {
                    guard chain.count < TrustLimits.maximumCertificates, issuer.der.count <= room else { return chain }
                    chain.append(issuer.der)
                    room -= issuer.der.count
                    if let name = issuer.issuer { above.append(name) }
                }
            }
            if above.isEmpty { break }
            names = above
        }
        return chain
    }

    private func named(_ subject: [UInt8]) throws(KeychainError) -> [Candidate] {
        if let known = bySubject[subject] { return known }
        let found = try search?.certificates(of: subject).compactMap(Candidate.init) ?? []
        bySubject[subject] = found
        return found
    }
}
