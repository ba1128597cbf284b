import ChatelaineCryptography
import ChatelaineModel
import Glibc

/// Finds the certificate for a name or an e-mail address in the keychains.
///
/// A part of a name is not enough, since the message could be for another person. Of several matches a valid one is
/// taken, and of these the newest. The names of a recipient come from the certificate, never from its item's label,
/// which any program can choose. Of several recipients only trusted ones count, since anyone can make a certificate
/// with a name. If none is trusted, a digest has to select one.
struct CMSCertificateLookup {
    private let certificates: [StoredCertificate]
    private let now: Double
    private let isTrusted: (_ certificate: StoredCertificate, _ word: String) -> Bool

    /// The most certificates of one name that are evaluated; more valid ones are a sign of abuse.
    private static let mostJudged = 16

    /// Bits of `SecKeyUsage`.
    private enum Usage {
        static let signs: UInt64 = 1 << 0 | 1 << 1
        static let encrypts: UInt64 = 1 << 2 | 1 << 4
    }

    /// - Parameter isTrusted: whether a certificate is trusted to belong to the name in the word.
    init(
        _ certificates: [StoredCertificate],
        isTrusted: @escaping (_ certificate: StoredCertificate, _ word: String) -> Bool = { _, _ in true }
    ) {
        self.certificates = certificates
        self.isTrusted = isTrusted
        now = Double(time(nil))
    }

    /// The certificate of a recipient.
    ///
    /// - Parameter word: a name or an address, or SHA-1 or SHA-256 of the certificate.
    /// - Throws: `errSecItemNotFound`, `errSecCertificateExpired`, and `errSecParam` if the key is for another use, or
    ///   if several certificates match and none of them is trusted.
    func recipient(_ word: String) throws(KeychainError) -> StoredCertificate {
        // A certificate may have as its name what looks like the digest of another one.
        var found: [StoredCertificate] = []
        if Self.isDigest(word) {
            for certificate in certificates where try certificate.hasDigest(word) { found.append(certificate) }
        } else {
            found = named(word, byLabel: false)
        }
        let suitable = try suitable(found, word, for: Usage.encrypts)
        // Expired certificates count as well: another person may have taken the name of one.
        guard Set(found.map(\.der)).count > 1 else { return try newest(suitable, word) }
        let trusted = found.count <= Self.mostJudged ? suitable.filter { isTrusted($0, word) } : []
        guard !trusted.isEmpty else {
            throw KeychainError(
                .param,
                "\(found.count) certificates bear the name “\(word)”, and which of them is meant is not known: trust its authority, or name one by its digest (security find-certificate -a -Z)"
            )
        }
        return try newest(trusted, word)
    }

    private static func isDigest(_ word: String) -> Bool {
        [KeyDigest.sha1, .sha256].contains { word.utf8.count == 2 * $0.byteCount } && word.allSatisfy(\.isHexDigit)
    }

    /// The newest certificate with a name, for any use and even if it is expired.
    func holder(_ word: String) throws(KeychainError) -> StoredCertificate { try newest(named(word), word) }

    /// The certificate of a signer with a private key here, by name.
    func signer(named word: String) throws(KeychainError) -> StoredCertificate {
        try best(named(word).filter(\.hasPrivateKey), word, for: Usage.signs)
    }

    /// The certificate of a signer with a private key here, by subject key identifier.
    func signer(keyIdentifier word: String) throws(KeychainError) -> StoredCertificate {
        let wanted = word.filter { $0 != ":" && $0 != " " }.lowercased()
        let found = certificates.filter { certificate in
            certificate.hasPrivateKey
                && certificate.report?.subjectKeyIdentifier.map { Hexadecimal.text(of: $0).lowercased() } == wanted
        }
        return try best(found, word, for: Usage.signs)
    }

    /// The certificate with a name, for any use.
    func preferred(_ word: String) throws(KeychainError) -> StoredCertificate {
        try best(named(word), word, for: .max)
    }

    private func named(_ word: String, byLabel: Bool = true) -> [StoredCertificate] {
        let wanted = word.lowercased()
        guard !wanted.isEmpty else { return [] }
        return certificates.filter { certificate in
            let names =
                [byLabel ? certificate.label : nil, certificate.commonName, certificate.report?.summary]
                .compactMap { $0 } + (certificate.report?.emailAddresses ?? [])
            return names.contains { $0.lowercased() == wanted }
        }
    }

    private func best(
        _ found: [StoredCertificate], _ word: String, for usage: UInt64
    ) throws(KeychainError) -> StoredCertificate { try newest(suitable(found, word, for: usage), word) }

    private func newest(_ found: [StoredCertificate], _ word: String) throws(KeychainError) -> StoredCertificate {
        guard let newest = found.max(by: { ($0.report?.notBefore ?? 0) < ($1.report?.notBefore ?? 0) }) else {
            throw Self.unknown(word)
        }
        return newest
    }

    private static func unknown(_ word: String) -> KeychainError {
        KeychainError(.itemNotFound, "no keychain that was searched has a certificate of “\(word)” for it")
    }

    /// The valid certificates for a use, the newest first; throws if there are none.
    private func suitable(
        _ found: [StoredCertificate], _ word: String, for usage: UInt64
    ) throws(KeychainError) -> [StoredCertificate] {
        guard !found.isEmpty else { throw Self.unknown(word) }
        let valid = found.filter { $0.report?.isValid(at: now) ?? false }
        guard !valid.isEmpty else {
            throw KeychainError(.certificateExpired, "the certificate of “\(word)” is not valid now")
        }
        let suitable = valid.filter { $0.report?.keyUsage.map { $0 & usage != 0 } ?? true }
        guard !suitable.isEmpty else {
            throw KeychainError(.param, "the key in the certificate of “\(word)” is for something else")
        }
        return suitable.sorted { ($0.report?.notBefore ?? 0) > ($1.report?.notBefore ?? 0) }
    }
}
