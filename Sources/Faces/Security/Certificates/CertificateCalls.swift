import ChatelaineCryptography
import ChatelaineIPC
import ChatelaineMemory
import ChatelaineModel

/// The `SecCertificate` calls, for Swift and for C alike.
package enum CertificateCalls {
    /// `SecCertificateCreateWithData`.
    package static func make(_ data: QueryValue) throws(KeychainError) -> SecCertificate {
        guard case .data(let der) = data else { throw KeychainError(.param, "a certificate is made of data") }
        return SecCertificate(der: der, report: try report(of: der))
    }

    static func report(of der: [UInt8]) throws(KeychainError) -> CertificateReport {
        // More bytes are no certificate, and too large for a request.
        guard der.count <= CertificateLimits.maximumBytes else {
            throw KeychainError(.param, "a certificate has \(CertificateLimits.maximumBytes) bytes at most")
        }
        switch try KeychainClient.shared.read(certificates: [der]).first {
        case .report(let report)?: return report
        case .flaw(let reason)?: throw KeychainError(.param, reason)
        case nil: throw KeychainError(.internalComponent, "securityd says nothing of a certificate")
        }
    }

    /// The common names of the certificates' subjects, one for each certificate; nil for a subject without one.
    static func commonNames(of certificates: [[UInt8]]) throws(KeychainError) -> [String?] {
        var names: [String?] = []
        while names.count < certificates.count {
            var (batch, bytes) = ([[UInt8]](), 0)
            for der in certificates[names.count...].prefix(CertificateLimits.maximumBatch) {
                bytes += der.count
                guard batch.isEmpty || bytes <= CertificateLimits.maximumBatchBytes else { break }
                batch.append(der)
            }
            for reading in try KeychainClient.shared.read(certificates: batch) {
                if case .report(let report) = reading {
                    names.append(report.subject.commonName)
                } else {
                    names.append(nil)
                }
            }
        }
        return names
    }

    /// `SecCertificateAddToKeychain`.
    ///
    /// - Parameter keychain: nil for the default keychain.
    /// - Throws: `errSecDuplicateItem` where the keychain already holds the certificate.
    package static func add(_ certificate: SecCertificate, to keychain: SecKeychain?) throws(KeychainError) {
        var item = NewItem(itemClass: .certificate)
        item.secret = SecretBytes(certificate.der)
        _ = try KeychainItemCalls.add(item, to: keychain)
    }

    package static func data(of certificate: SecCertificate) -> ResultTree { .data(certificate.der) }

    // MARK: Names

    package static func summary(of certificate: SecCertificate) throws(KeychainError) -> ResultTree? {
        try certificate.report().summary.map { .text($0) }
    }

    /// - Throws: `errSecNoSuchAttr` for a certificate without a common name.
    package static func commonName(of certificate: SecCertificate) throws(KeychainError) -> ResultTree {
        guard let name = try certificate.report().subject.commonName else {
            throw KeychainError(.noSuchAttribute, "the certificate has no common name")
        }
        return .text(name)
    }

    package static func emailAddresses(of certificate: SecCertificate) throws(KeychainError) -> ResultTree {
        .array(try certificate.report().emailAddresses.map { .text($0) })
    }

    /// The role of a name in a certificate.
    package enum Role: Sendable {
        case issuer
        case subject
    }

    /// The normalised form of a name, as a sequence or as the content of one.
    package static func name(
        _ role: Role, of certificate: SecCertificate, isSequence: Bool
    ) throws(KeychainError) -> ResultTree {
        let report = try certificate.report()
        let name =
            switch role {
            case .issuer: report.issuer
            case .subject: report.subject
            }
        return .data(isSequence ? name.normalizedSequence : name.normalized)
    }

    // MARK: Number and dates

    package static func serialNumber(of certificate: SecCertificate) throws(KeychainError) -> ResultTree {
        .data(try certificate.report().serialNumber)
    }

    package static func notBefore(of certificate: SecCertificate) throws(KeychainError) -> ResultTree {
        .date(Self.date(try certificate.report().notBefore))
    }

    package static func notAfter(of certificate: SecCertificate) throws(KeychainError) -> ResultTree {
        .date(Self.date(try certificate.report().notAfter))
    }

    /// Converts seconds since 1970 to CoreFoundation's, which count from 2001.
    static func date(_ seconds: Int64) -> Double { Double(seconds) - Double(ReferenceDate.secondsSince1970) }

    // MARK: Key

    /// - Throws: `errSecUnimplemented` for an unsupported kind of key; `errSecParam` for bytes that are no key of
    ///   their kind.
    package static func key(of certificate: SecCertificate) throws(KeychainError) -> SecKey {
        let key = try certificate.report().key
        guard let kind = key.kind else {
            throw KeychainError(
                .unimplemented,
                "the certificate has a key of another kind than RSA, P-256, P-384, P-521, Ed25519 and X25519")
        }
        return try SecKey(try CryptographicKey(kind.keyKind, publicRepresentation: key.representation))
    }
}

extension CertificateKey.Kind {
    fileprivate var keyKind: KeyKind {
        switch self {
        case .rsa: .rsa
        case .p256, .p384, .p521: .ec
        case .ed25519: .ed25519
        case .x25519: .x25519
        }
    }
}
