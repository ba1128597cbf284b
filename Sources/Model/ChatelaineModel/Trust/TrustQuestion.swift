/// What a program asks about a chain of certificates (`SecTrust`). None of its bytes was looked at.
package struct TrustQuestion: Hashable, Sendable {
    /// DER; the one that is to be judged first, then others that may belong to its chain.
    package var certificates: [[UInt8]]
    package var policies: [TrustPolicy]
    /// DER, of keychains: these only stand between, whatever ``options`` say. Other programs can have put them there.
    package var stored: [[UInt8]] = []
    /// DER; what the program itself trusts.
    package var anchors: [[UInt8]] = []
    /// Whether nothing else counts as an anchor.
    package var hasOwnAnchorsOnly = false
    /// Seconds since 1970; nil for now.
    package var date: Int64?
    /// DER, of OCSP.
    package var responses: [[UInt8]] = []
    /// DER, lists of revoked certificates.
    package var revocationLists: [[UInt8]] = []
    /// Whether servers that the certificates name may be asked; nil where the program has not said.
    package var allowsFetching: Bool?
    package var options: TrustOptions = []

    package init(_ certificates: [[UInt8]], policies: [TrustPolicy]) {
        self.certificates = certificates
        self.policies = policies
    }

    /// Whether issuers that lack may be fetched. Unless a program says so this is for TLS, where peers forget them; anybody else whose certificate is looked at
    /// would hear of it.
    package var fetchesIssuers: Bool {
        allowsFetching ?? (options.contains(.fetchIssuers) || policies.contains { $0.purpose == .ssl })
    }

    /// Whether servers may be asked about revocation, where a policy wants that.
    package var fetchesAnswers: Bool { allowsFetching ?? true }

    /// Whether it is looked whether certificates were revoked.
    package var asksAboutRevocation: Bool {
        options.contains(.requireRevocationOfEach) || policies.contains { $0.purpose == .revocation }
    }

    /// Of all that it has in DER.
    package var byteCount: Int {
        [certificates, stored, anchors, responses, revocationLists].reduce(0) { $1.reduce($0) { $0 + $1.count } }
    }

    /// - Throws: `errSecParam` where it is beyond ``TrustLimits``.
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
