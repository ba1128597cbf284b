import ChatelaineModel
import Glibc

/// A word that selects certificates: their SHA-256 or SHA-1 in hexadecimal digits, or a part of their names.
///
/// A whole name wins over parts of names.
struct CertificateWord {
    let text: String

    func matching(_ certificates: [StoredCertificate]) throws(KeychainError) -> [StoredCertificate] {
        // The empty text is a part of every name.
        guard !text.isEmpty else { return [] }
        if let exact = try matchingDigest(certificates) { return exact }
        let wanted = text.lowercased()
        let whole = certificates.filter { names($0).contains { $0.lowercased() == wanted } }
        guard whole.isEmpty else { return whole }
        return certificates.filter { names($0).contains { $0.lowercased().contains(wanted) } }
    }

    private func matchingDigest(_ certificates: [StoredCertificate]) throws(KeychainError) -> [StoredCertificate]? {
        var found: [StoredCertificate] = []
        for certificate in certificates where try certificate.hasDigest(text) { found.append(certificate) }
        return found.isEmpty ? nil : found
    }

    private func names(_ certificate: StoredCertificate) -> [String] {
        [certificate.label, certificate.report?.summary, certificate.commonName].compactMap { $0 }
            + (certificate.report?.alternativeNames ?? []).map(\.text)
    }
}
