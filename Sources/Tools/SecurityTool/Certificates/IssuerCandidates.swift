import ChatelaineModel

/// Certificates by their subjects, of which those go with a question about one that may have issued it.
///
/// All others would make the question larger than anybody looks at, where keychains have many or large ones.
struct IssuerCandidates {
    private let bySubject: [[UInt8]: [StoredCertificate]]

    /// - Parameter certificates: of keychains; one that an evaluation does not look at is left out.
    init(_ certificates: [StoredCertificate]) {
        bySubject = Dictionary(
            grouping: certificates.filter {
                $0.report != nil && $0.der.count <= TrustLimits.maximumCertificateBytes
            }
        ) { $0.report?.subject.normalizedSequence ?? [] }
    }

    /// The certificate itself and then its issuers, theirs, and so on, as far as chains go and as there is room in a question.
    func chain(of certificate: StoredCertificate) -> [[UInt8]] {
        var chain = [certificate.der]
        var seen: Set<[UInt8]> = [certificate.der]
        var room = TrustLimits.maximumQuestionBytes - certificate.der.count
        var names = [certificate.report?.issuer.normalizedSequence].compactMap { $0 }
        for _ in 1..<TrustLimits.maximumChain {
            var above: [[UInt8]] = []
            for issuer in names.flatMap({ bySubject[$0] ?? [] }) where seen.insert(issuer.der).inserted {
                guard chain.count < TrustLimits.maximumCertificates, issuer.der.count <= room else { return chain }
                chain.append(issuer.der)
                room -= issuer.der.count
                if let name = issuer.report?.issuer.normalizedSequence { above.append(name) }
            }
            if above.isEmpty { break }
            names = above
        }
        return chain
    }
}
