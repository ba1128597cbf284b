extension CertificateReport: CBORValue {
    private enum Field: UInt64, CBORField {
        case version = 1
        case serialNumber = 2
        case signatureAlgorithm = 3
        case issuer = 4
        case subject = 5
        case notBefore = 6
        case notAfter = 7
        case key = 8
        case subjectKeyIdentifier = 9
        case authorityKeyIdentifier = 10
        case keyUsage = 11
        case purposes = 12
        case isAuthority = 13
        case pathLength = 14
        case alternativeNames = 15
        case extensions = 16
        case signature = 17
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            $0.write(Field.version, version)
            $0.write(Field.serialNumber, serialNumber)
            $0.write(Field.signatureAlgorithm, signatureAlgorithm)
            $0.write(Field.issuer, issuer)
            $0.write(Field.subject, subject)
            $0.write(Field.notBefore, notBefore)
            $0.write(Field.notAfter, notAfter)
            $0.write(Field.key, key)
            $0.write(Field.subjectKeyIdentifier, subjectKeyIdentifier)
            $0.write(Field.authorityKeyIdentifier, authorityKeyIdentifier)
            $0.write(Field.keyUsage, keyUsage)
            if let purposes { $0.writeArray(Field.purposes, purposes) }
            $0.write(Field.isAuthority, authority?.isAuthority)
            $0.write(Field.pathLength, authority?.pathLength)
            $0.writeArray(Field.alternativeNames, alternativeNames)
            $0.writeArray(Field.extensions, extensions)
            $0.write(Field.signature, signature.isEmpty ? nil : signature)
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        let (version, serialNumber): (UInt64, [UInt8]) = (
            try map.read(Field.version), try map.read(Field.serialNumber)
        )
        try map.find(Field.signatureAlgorithm)
        let algorithm = try map.reader.readText(limit: CertificateLimits.maximumIdentifierText)
        self.init(
            version: version, serialNumber: serialNumber, signatureAlgorithm: algorithm,
            issuer: try map.read(Field.issuer), subject: try map.read(Field.subject),
            notBefore: try map.read(Field.notBefore), notAfter: try map.read(Field.notAfter),
            key: try map.read(Field.key))
        subjectKeyIdentifier = try map.readIfPresent(Field.subjectKeyIdentifier)
        authorityKeyIdentifier = try map.readIfPresent(Field.authorityKeyIdentifier)
        keyUsage = try map.readIfPresent(Field.keyUsage)
        purposes = try map.readArrayIfPresent(Field.purposes, limit: CertificateLimits.maximumPurposes)
        if let isAuthority: Bool = try map.readIfPresent(Field.isAuthority) {
            authority = Authority(isAuthority: isAuthority, pathLength: try map.readIfPresent(Field.pathLength))
        }
        alternativeNames = try map.readArray(
            Field.alternativeNames, limit: CertificateLimits.maximumAlternativeNames)
        extensions = try map.readArray(Field.extensions, limit: CertificateLimits.maximumExtensions)
        signature = try map.readIfPresent(Field.signature) ?? []
        guard (1...3).contains(version), serialNumber.count <= CertificateLimits.maximumBytes,
            signature.count <= CertificateLimits.maximumBytes
        else {
            throw .outOfRange
        }
        reader = try map.end()
    }
}

/// The result of reading one certificate.
package enum CertificateReading: Hashable, Sendable {
    case report(CertificateReport)
    /// Why the bytes are no certificate: a printable sentence of at most ``CertificateLimits/maximumReasonBytes``.
    case flaw(String)
}

extension CertificateReading: CBORValue {
    private enum Field: UInt64, CBORField {
        case report = 1
        case flaw = 2
    }

    package func encode(to writer: inout CBORWriter) {
        writer.writeMap {
            switch self {
            case .report(let report): $0.write(Field.report, report)
            case .flaw(let reason): $0.write(Field.flaw, reason)
            }
        }
    }

    package init(from reader: inout CBORReader) throws(CBORError) {
        var map = try CBORMap(reader)
        if let report: CertificateReport = try map.readIfPresent(Field.report) {
            self = .report(report)
        } else {
            try map.find(Field.flaw)
            self = .flaw(try map.reader.readText(limit: CertificateLimits.maximumReasonBytes))
        }
        reader = try map.end()
    }
}
