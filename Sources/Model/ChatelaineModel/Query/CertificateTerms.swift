/// What a search asks of certificates, that no attribute of theirs says (behaviour/certificates.md).
package struct CertificateTerms: Hashable, Sendable {
    /// Distinguished names (DER), of which one has to stand above the certificate (`kSecMatchIssuers`); nil for any.
    package var issuers: [[UInt8]]?
    /// Seconds since 1970 (`kSecMatchValidOnDate`); nil for any time.
    package var validDate: Double?
    /// What those that have addresses have to have (`kSecMatchEmailAddressIfPresent`); nil for any.
    package var email: String?

    package init() {}

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
    }

    /// Whether a certificate is as they say, its issuers aside.
    package func admits(_ report: CertificateReport) -> Bool {
        if let validDate, !report.isValid(at: validDate) { return false }
        guard let email else { return true }
        let addresses = report.emailAddresses
        // Case counts for nothing in the names of hosts, and for nothing anybody relies on before them.
        return addresses.isEmpty || addresses.contains { $0.lowercased() == email.lowercased() }
    }
}
