import ChatelaineModel

/// Which certificates a result of trust is for.
///
/// As with Apple, `trustRoot` is for certificates that issued themselves, and `trustAsRoot` for all others. Evaluations
/// pass over a result that is not for its certificate.
package enum TrustResultRule {
    /// - Throws: `errSecParam` for a result that is not for this certificate.
    package static func check(
        _ constraints: [TrustConstraint], of certificate: [UInt8], _ service: some TrustSettingsService
    ) throws(KeychainError) {
        let results = results(constraints)
        guard results.contains(.trustRoot) || results.contains(.trustAsRoot),
            let reading = try service.read(certificates: [certificate]).first
        else { return }
        try check(constraints, reading)
    }

    /// Says nothing about a certificate that cannot be read, which is refused for that reason.
    static func check(_ constraints: [TrustConstraint], _ reading: CertificateReading) throws(KeychainError) {
        guard case .report(let report) = reading else { return }
        let isRoot = report.issuer.normalized == report.subject.normalized
        if isRoot, results(constraints).contains(.trustAsRoot) {
            throw KeychainError(.param, "trustAsRoot is for certificates of other issuers, and this one issued itself")
        }
        if !isRoot, results(constraints).contains(.trustRoot) {
            throw KeychainError(
                .param, "trustRoot is for certificates that issued themselves: set trustAsRoot for this one")
        }
    }

    /// Without constraints a certificate is trusted as a root.
    private static func results(_ constraints: [TrustConstraint]) -> [TrustConstraint.Result] {
        constraints.isEmpty ? [.trustRoot] : constraints.map(\.result)
    }
}
