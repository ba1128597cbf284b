/// A program's question about a chain of certificates (`SecTrust`). Its bytes are not checked yet.
package struct TrustQuestion: Hashable, Sendable {
    /// Certificates in DER: the one to evaluate first, then others that may be in its chain.
    package var certificates: [[UInt8]]
    package var policies: [TrustPolicy]
    /// Certificates of keychains in DER.
    ///
    /// They are never anchors, whatever ``options`` say, since other programs can put certificates there.
    package var stored: [[UInt8]] = []
    /// Certificates in DER that the program itself trusts.
    package var anchors: [[UInt8]] = []
    /// Whether only ``anchors`` count as anchors.
    package var hasOwnAnchorsOnly = false
    /// The time of the evaluation, in seconds since 1970; nil for now.
    package var date: Int64?
    /// OCSP responses in DER.
    package var responses: [[UInt8]] = []
    /// Revocation lists in DER.
    package var revocationLists: [[UInt8]] = []
    /// Whether servers that the certificates name may be asked; nil if the program did not say.
    package var allowsFetching: Bool?
    package var options: TrustOptions = []

    package init(_ certificates: [[UInt8]], policies: [TrustPolicy]) {
        self.certificates = certificates
        self.policies = policies
    }

    /// Whether missing issuers may be fetched.
    ///
    /// If the program does not say, only TLS fetches them, because its servers often omit them. For other purposes, the
    /// issuer's server would learn that someone evaluates the certificate.
    package var fetchesIssuers: Bool {
        allowsFetching ?? (options.contains(.fetchIssuers) || policies.contains { $0.purpose == .ssl })
    }

    /// Whether servers may be asked about revocation, if a policy demands it.
    package var fetchesAnswers: Bool { allowsFetching ?? true }

    /// Whether an evaluation may ask a server for anything.
    package var mayUseNetwork: Bool {
        let policies = policies.filter { $0.purpose == .revocation }
        guard !policies.contains(where: { $0.revocation.contains(.noNetwork) }) else { return false }
        let hasMethod = policies.contains { !$0.revocation.isDisjoint(with: [.ocsp, .lists]) }
        return fetchesIssuers || (fetchesAnswers && (hasMethod || options.contains(.requireRevocationOfEach)))
    }

    /// Whether the evaluation checks revocation.
    package var asksAboutRevocation: Bool {
        options.contains(.requireRevocationOfEach) || policies.contains { $0.purpose == .revocation }
    }

    /// The bytes of everything in DER.
    package var byteCount: Int {
        [certificates, stored, anchors, responses, revocationLists].reduce(0) { $1.reduce($0) { $0 + $1.count } }
    }

    /// - Throws: `errSecParam` if the question exceeds ``TrustLimits``.
    package func checkSize() throws(KeychainError) {
        guard !certificates.isEmpty, !policies.isEmpty else {
            throw KeychainError(.param, "an evaluation of trust needs a certificate and a policy")
        }
        guard certificates.count + stored.count <= TrustLimits.maximumCertificates,
            anchors.count <= TrustLimits.maximumCertificates,
            policies.count <= TrustLimits.maximumPolicies, responses.count <= TrustLimits.maximumRevocations,
            revocationLists.count <= TrustLimits.maximumRevocations,
            policies.allSatisfy({ $0.name?.utf8.count ?? 0 <= TrustLimits.maximumNameBytes }),
            (responses + revocationLists).reduce(0, { $0 + $1.count }) <= TrustLimits.maximumRevocationBytes,
            (certificates + stored + anchors).allSatisfy({ $0.count <= TrustLimits.maximumCertificateBytes }),
            (certificates + stored + anchors).reduce(0, { $0 + $1.count }) <= TrustLimits.maximumQuestionBytes
        else {
            throw KeychainError(
                .param, "an evaluation of trust is larger than is looked at: give it fewer certificates")
        }
    }
}

extension TrustQuestion: CBORValue {
    private enum Field: UInt64, CBORField {
        case certificates = 1
        case policies = 2
        case anchors = 3
        case hasOwnAnchorsOnly = 4
        case date = 5
        case responses = 6
        case revocationLists = 7
        case allowsFetching = 8
        case options = 9
        case stored = 10
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.writeArray(Field.certificates, certificates)
            $0.writeArray(Field.policies, policies)
            $0.writeArray(Field.anchors, anchors)
            $0.write(Field.hasOwnAnchorsOnly, hasOwnAnchorsOnly)
            $0.write(Field.date, date)
            $0.writeArray(Field.responses, responses)
            $0.writeArray(Field.revocationLists, revocationLists)
            $0.write(Field.allowsFetching, allowsFetching)
            $0.write(Field.options, options.isEmpty ? nil : options.rawValue)
            if !stored.isEmpty { $0.writeArray(Field.stored, stored) }
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        self.init(
            try map.readArray(Field.certificates, limit: TrustLimits.maximumCertificates),
            policies: try map.readArray(Field.policies, limit: TrustLimits.maximumPolicies))
        anchors = try map.readArray(Field.anchors, limit: TrustLimits.maximumCertificates)
        hasOwnAnchorsOnly = try map.read(Field.hasOwnAnchorsOnly)
        date = try map.readIfPresent(Field.date)
        responses = try map.readArray(Field.responses, limit: TrustLimits.maximumRevocations)
        revocationLists = try map.readArray(Field.revocationLists, limit: TrustLimits.maximumRevocations)
        allowsFetching = try map.readIfPresent(Field.allowsFetching)
        options = TrustOptions(rawValue: try map.readIfPresent(Field.options) ?? 0)
        stored = try map.readArrayIfPresent(Field.stored, limit: TrustLimits.maximumCertificates) ?? []
        reader = try map.end()
        guard options.isSubset(of: .all) else { throw .outOfRange }
        guard (try? checkSize()) != nil else { throw .limitExceeded }
    }
}
