import ChatelaineModel
import TrustProtocol

/// How the policies of a question want revocation to be checked.
struct RevocationMethods: Sendable {
    /// The kinds of evidence to fetch, in order; empty if nothing may be fetched.
    let kinds: [EvidenceSource.Kind]
    /// Whether servers may be contacted, also for issuers.
    ///
    /// One policy that forbids the network is enough to forbid it.
    let allowsNetwork: Bool
    /// Whether evidence that a certificate is not revoked is required.
    private let isRequired: Bool
    /// Whether that holds for each certificate, even if no source could know.
    private let isRequiredOfEach: Bool

    init(_ question: TrustQuestion) {
        var flags = question.policies.filter { $0.purpose == .revocation }
            .reduce(into: RevocationFlags()) { $0.formUnion($1.revocation) }
        isRequiredOfEach = question.options.contains(.requireRevocationOfEach)
        if isRequiredOfEach {
            flags.insert(.requirePositiveResponse)
            // Without a method in the policies, all methods are used.
            if flags.isDisjoint(with: [.ocsp, .lists]) { flags.formUnion([.ocsp, .lists]) }
        }
        isRequired = flags.contains(.requirePositiveResponse)
        var kinds: [EvidenceSource.Kind] = []
        if flags.contains(.ocsp) { kinds.append(.response) }
        if flags.contains(.lists) { kinds.append(.list) }
        if flags.contains(.preferLists) { kinds.reverse() }
        allowsNetwork = question.allowsFetching != false && !flags.contains(.noNetwork)
        self.kinds = allowsNetwork && question.fetchesAnswers ? kinds : []
    }

    /// Whether a chain is not good while nothing is known about this certificate.
    ///
    /// If evidence is required, this is always so for the judged certificate. For an issuer it is so only if its
    /// certificate names a source that may be asked. An authority that publishes nothing cannot be asked, and evidence
    /// that a server sends along covers the first certificate only.
    func require(_ certificate: ReadCertificate, isFirst: Bool) -> Bool {
        guard isRequired, !isFirst, !isRequiredOfEach else { return isRequired }
        let named = NamedSources(certificate.certificate)
        return kinds.contains { named.names($0) }
    }

    /// The sources that may know whether a certificate was revoked, in the order of the policies.
    func sources(for certificate: ReadCertificate, by issuer: ReadCertificate) -> [EvidenceSource] {
        let named = NamedSources(certificate.certificate)
        let all = kinds.map { kind in named.addresses(of: kind).compactMap { source(kind, $0, certificate, issuer) } }
        guard let first = all.first else { return [] }
        // The second kind always keeps some places, however many sources the preferred kind has.
        let most = EvidenceLimits.maximumSources
        let others = all.dropFirst().joined().prefix(max(most / 2, most - first.count))
        return Array(first.prefix(most - others.count)) + others
    }

    private func source(
        _ kind: EvidenceSource.Kind, _ url: String, _ certificate: ReadCertificate, _ issuer: ReadCertificate
    ) -> EvidenceSource? {
        guard kind == .response else { return EvidenceSource(kind, at: url) }
        // A serial number may have any length; a question may not.
        guard let request = OCSPQuestion.bytes(about: certificate, by: issuer),
            request.count <= EvidenceLimits.maximumRequestBytes
        else { return nil }
        return EvidenceSource(kind, at: url, request: request)
    }
}
