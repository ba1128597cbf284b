import ChatelaineModel
import TrustProtocol

/// How the policies of a question have it looked whether certificates were revoked.
struct RevocationMethods: Sendable {
    /// What may be asked for, in its order; nothing where nobody may be asked.
    let kinds: [EvidenceSource.Kind]
    /// Whether anybody may be asked, for issuers too. Where one of several policies wants none of a network, there is none.
    let allowsNetwork: Bool
    /// Whether somebody has to say that they are not.
    private let isRequired: Bool
    /// And of each certificate, whether anybody could know or not.
    private let isRequiredOfEach: Bool

    init(_ question: TrustQuestion) {
        var flags = question.policies.filter { $0.purpose == .revocation }
            .reduce(into: RevocationFlags()) { $0.formUnion($1.revocation) }
        isRequiredOfEach = question.options.contains(.requireRevocationOfEach)
        if isRequiredOfEach {
            flags.insert(.requirePositiveResponse)
            // By any method, where no policy names one.
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

    /// Whether a chain is not good where nobody says anything of this certificate.
    ///
    /// It always is so for the one that is judged. Of its issuers it is so for each that names somebody who would know and may be asked: an authority
    /// that publishes nothing about what it issued can be asked by nobody, and what a server sends along is of the first certificate alone.
    func require(_ certificate: ReadCertificate, isFirst: Bool) -> Bool {
        guard isRequired, !isFirst, !isRequiredOfEach else { return isRequired }
        let named = NamedSources(certificate.certificate)
        return kinds.contains { named.names($0) }
    }

    /// Who may know whether a certificate was revoked, as the policies want them asked.
    func sources(for certificate: ReadCertificate, by issuer: ReadCertificate) -> [EvidenceSource] {
        let named = NamedSources(certificate.certificate)
        let all = kinds.map { kind in named.addresses(of: kind).compactMap { source(kind, $0, certificate, issuer) } }
        guard let first = all.first else { return [] }
        // However many there are of the preferred kind, the other one has its turn.
        let most = EvidenceLimits.maximumSources
        let others = all.dropFirst().joined().prefix(max(most / 2, most - first.count))
        return Array(first.prefix(most - others.count)) + others
    }

    private func source(
        _ kind: EvidenceSource.Kind, _ url: String, _ certificate: ReadCertificate, _ issuer: ReadCertificate
    ) -> EvidenceSource? {
        guard kind == .response else { return EvidenceSource(kind, at: url) }
        // A serial number may be of any length, and a question may not.
        guard let request = OCSPQuestion.bytes(about: certificate, by: issuer),
            request.count <= EvidenceLimits.maximumRequestBytes
        else { return nil }
        return EvidenceSource(kind, at: url, request: request)
    }
}
