/// What a search asks of certificates, that no attribute of theirs says (behaviour/certificates.md).
package struct CertificateTerms: Hashable, Sendable {
    /// Distinguished names (DER), of which one has to stand above the certificate (`kSecMatchIssuers`); nil for any.
    package var issuers: [[UInt8]]?
    /// Seconds since 1970 (`kSecMatchValidOnDate`); nil for any time.
    package var validDate: Double?
    /// What those that have addresses have to have (`kSecMatchEmailAddressIfPresent`); nil for any.
    package var email: String?
    /// What they have to be good for (`kSecMatchPolicy`); nil for anything.
    package var policy: TrustPolicy?
    /// Whether their chains have to be trusted (`kSecMatchTrustedOnly`).
    package var isTrustedOnly = false

    package init() {}

    /// Whether somebody has to judge them.
    package var needVerdict: Bool { policy != nil || isTrustedOnly }

    /// What they say besides.
    package var withoutVerdict: CertificateTerms {
        var terms = self
        (terms.policy, terms.isTrustedOnly) = (nil, false)
        return terms
    }

    package var isEmpty: Bool { self == CertificateTerms() }

    /// Holds to the limits what came over a socket.
    func validate(for itemClass: ItemClass, _ operation: SearchOperation) throws(KeychainError) {
        guard !isEmpty else { return }
        guard itemClass == .certificate || itemClass == .identity, operation == .find else {
            throw KeychainError(.param, "issuers, dates and addresses of certificates are for searches of these")
        }
        guard issuers?.count ?? 0 <= CertificateLimits.maximumIssuers,
            issuers?.allSatisfy({ $0.count <= CertificateLimits.maximumNameBytes }) ?? true
        else {
            throw KeychainError(
                .param,
                "kSecMatchIssuers lists \(CertificateLimits.maximumIssuers) names of \(CertificateLimits.maximumNameBytes) bytes at most"
            )
        }
        guard policy?.name?.utf8.count ?? 0 <= TrustLimits.maximumNameBytes else {
            throw KeychainError(
                .param, "the name in kSecMatchPolicy has more than \(TrustLimits.maximumNameBytes) bytes")
        }
    }

    /// Whether a certificate is as they say, its issuers and what it is good for aside.
    package func admits(_ report: CertificateReport) -> Bool {
        if let validDate, !report.isValid(at: validDate) { return false }
        guard let email else { return true }
        let addresses = report.emailAddresses
        // Case counts for nothing in the names of hosts, and for nothing anybody relies on before them.
        return addresses.isEmpty || addresses.contains { $0.lowercased() == email.lowercased() }
    }
}

// MARK: Judging

extension CertificateTerms {
    /// What has to be true of a certificate that meets ``policy`` and ``isTrustedOnly`` (behaviour/certificates.md, 25 and 26).
    ///
    /// No server is asked about one: a search says to nobody which certificates there are.
    ///
    /// - Parameters:
    ///   - certificate: DER.
    ///   - issuers: what may stand above it; asked where its chain counts.
    package func question(
        about certificate: [UInt8], issuers: () throws(KeychainError) -> [[UInt8]]
    ) throws(KeychainError) -> TrustQuestion {
        let policy = policy ?? TrustPolicy(.basic)
        var question = TrustQuestion([certificate], policies: [policy])
        if isTrustedOnly || policy.isOfChains {
            question.certificates += try issuers()
        } else {
            // Then nothing above it is looked at.
            (question.anchors, question.hasOwnAnchorsOnly) = ([certificate], true)
        }
        question.date = validDate.map { Int64(clampingWhole: $0) }
        question.allowsFetching = false
        return question
    }
}

extension TrustPolicy {
    /// Whether it asks for nothing but what comes of a whole chain.
    fileprivate var isOfChains: Bool { purpose == .basic || purpose == .revocation }
}

extension Int64 {
    /// The second of a moment, as near as it gets.
    fileprivate init(clampingWhole seconds: Double) {
        self = Int64(exactly: seconds.rounded(.down)) ?? (seconds > 0 ? .max : 0)
    }
}
