/// What a search demands of certificates beyond their attributes (behaviour/certificates.md).
package struct CertificateTerms: Hashable, Sendable {
    /// Distinguished names (DER), one of which has to be in the chain above the certificate (`kSecMatchIssuers`); nil
    /// for any.
    package var issuers: [[UInt8]]?
    /// The time at which certificates have to be valid, in seconds since 1970 (`kSecMatchValidOnDate`); nil for any
    /// time.
    package var validDate: Double?
    /// The address that certificates with addresses have to have (`kSecMatchEmailAddressIfPresent`); nil for any.
    package var email: String?
    /// The policy that certificates have to satisfy (`kSecMatchPolicy`); nil for none.
    package var policy: TrustPolicy?
    /// Whether the chains of certificates have to be trusted (`kSecMatchTrustedOnly`).
    package var isTrustedOnly = false

    package init() {}

    /// Whether trust has to be evaluated to tell which certificates meet these terms.
    package var needVerdict: Bool { policy != nil || isTrustedOnly }

    /// The terms that need no evaluation of trust.
    package var withoutVerdict: CertificateTerms {
        var terms = self
        (terms.policy, terms.isTrustedOnly) = (nil, false)
        return terms
    }

    package var isEmpty: Bool { self == CertificateTerms() }

    /// Throws if the terms exceed their limits or do not fit the search: a request comes over a socket.
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

    /// Whether a certificate meets the date and the address; issuers, policy and trust are not looked at.
    package func admits(_ report: CertificateReport) -> Bool {
        if let validDate, !report.isValid(at: validDate) { return false }
        guard let email else { return true }
        let addresses = report.emailAddresses
        // Case does not count in host names, and no one relies on it in the part before the host.
        return addresses.isEmpty || addresses.contains { $0.lowercased() == email.lowercased() }
    }
}

// MARK: Judging

extension CertificateTerms {
    /// The question to trustd whether a certificate meets ``policy`` and ``isTrustedOnly``
    /// (behaviour/certificates.md, 25 and 26).
    ///
    /// The evaluation asks no server, so that a search tells no one which certificates there are.
    ///
    /// - Parameters:
    ///   - certificate: DER.
    ///   - issuers: certificates that may be in the chain above it; called only if the chain counts.
    package func question(
        about certificate: [UInt8], issuers: () throws(KeychainError) -> [[UInt8]]
    ) throws(KeychainError) -> TrustQuestion {
        let policy = policy ?? TrustPolicy(.basic)
        var question = TrustQuestion([certificate], policies: [policy])
        if isTrustedOnly || policy.isOfChains {
            question.certificates += try issuers()
        } else {
            // The certificate is its own anchor, so that nothing above it is looked at.
            (question.anchors, question.hasOwnAnchorsOnly) = ([certificate], true)
        }
        question.date = validDate.map { Int64(clampingWhole: $0) }
        question.allowsFetching = false
        return question
    }
}

extension TrustPolicy {
    /// Whether the policy asks only for a property of the whole chain.
    fileprivate var isOfChains: Bool { purpose == .basic || purpose == .revocation }
}

extension Int64 {
    /// The second that contains a moment, clamped to 64 bits.
    fileprivate init(clampingWhole seconds: Double) {
        self = Int64(exactly: seconds.rounded(.down)) ?? (seconds > 0 ? .max : 0)
    }
}
