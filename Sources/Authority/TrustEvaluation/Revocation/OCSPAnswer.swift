import ChatelaineModel
import Crypto
import SwiftASN1
import X509

/// The signed answer of a responder about certificates (RFC 6960).
///
/// swift-certificates has a policy that asks responders over a network and does not report the result. This type reads
/// an answer that was already received. A good state without an end time counts for nothing (RFC 5019, 4), because an
/// intermediary could replay it forever.
struct OCSPAnswer: Sendable {
    private let toBeSigned: [UInt8]
    private let signature: [UInt8]
    private let algorithm: SignatureAlgorithm
    /// The DER certificates of possible signers.
    private let signers: [[UInt8]]
    private let statements: [OCSPStatement]
    /// When the responder signed the answer, according to the answer.
    private let produced: Int64

    private static let basic: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 48, 1, 1]
    /// The most certificates of signers.
    ///
    /// One is enough; some responders also send its issuer.
    private static let signerLimit = 4
    private static let statementLimit = 64

    init(_ der: [UInt8]) throws {
        let basic = try DER.sequence(try DER.parse(der), identifier: .sequence) { fields in
            // Zero means success; any other status brings no answer.
            guard let status = fields.next(), case .primitive(let value) = status.content, Array(value) == [0] else {
                throw Missing()
            }
            return try DER.explicitlyTagged(&fields, tagNumber: 0, tagClass: .contextSpecific) { node in
                try DER.sequence(node, identifier: .sequence) { bytes in
                    guard try ASN1ObjectIdentifier(derEncoded: &bytes) == Self.basic else { throw Missing() }
                    return Array(try ASN1OctetString(derEncoded: &bytes).bytes)
                }
            }
        }
        (toBeSigned, algorithm, signature, signers) = try DER.sequence(
            try DER.parse(basic), identifier: .sequence
        ) { parts in
            guard let body = parts.next(), let algorithm = parts.next() else { throw Missing() }
            let signature = Array(try ASN1BitString(derEncoded: &parts).bytes)
            let signers = try DER.optionalExplicitlyTagged(&parts, tagNumber: 0, tagClass: .contextSpecific) { node in
                try DER.sequence(node, identifier: .sequence) { list in
                    var all: [[UInt8]] = []
                    while let certificate = list.next(), all.count < Self.signerLimit {
                        all.append(Array(certificate.encodedBytes))
                    }
                    while list.next() != nil {}
                    return all
                }
            }
            return (
                Array(body.encodedBytes), SignatureAlgorithm(algorithm), signature, signers ?? []
            )
        }
        (produced, statements) = try Self.statements(toBeSigned)
    }

    func state(
        of certificate: ReadCertificate, by issuer: ReadCertificate, at moments: StatementMoments
    ) -> RevocationSources.State {
        let about = statements.filter { $0.isAbout(certificate, by: issuer) && moments.hasBegun($0.period) }
        guard !about.isEmpty else { return .unknown }
        let signers = signers(for: issuer)
        func isSigned(at moment: Int64) -> Bool { signers.contains { $0.contains(moment) } }
        // A revocation stays in force after the signer's certificate expires, so the time of signing counts too.
        if about.contains(where: { $0.state == .revoked }), (moments.all + [produced]).contains(where: isSigned) {
            return .revoked
        }
        for moment in moments.all where isSigned(at: moment) {
            let valid = about.filter { $0.period.contains(moment) }
            if valid.allSatisfy({ $0.state == .good }), let until = valid.compactMap(\.period.until).min() {
                return .good(until: until)
            }
        }
        return .unknown
    }

    /// The periods in which a verified signer was allowed to sign: always for the issuer, and its validity for a
    /// certificate delegated by the issuer.
    private func signers(for issuer: ReadCertificate) -> [ClosedRange<Int64>] {
        func hasSigned(_ signer: ReadCertificate) -> Bool {
            algorithm.verifies(signature, of: toBeSigned, by: signer.certificate.publicKey)
        }
        if hasSigned(issuer) { return [Int64.min...Int64.max] }
        return signers.compactMap { ReadCertificate($0) }.filter { signer in
            signer.issuerName == issuer.subjectName && !signer.signature.isWeak
                && signer.extensions?.purposes?.contains(.ExtendedKeyUsageIdentifiers.ocspSigning) ?? false
                && signer.extensions?.hasUnknownCritical == false
                && signer.extensions?.keyUsage.map(\.digitalSignature) ?? true
                && signer.validFrom <= signer.validUntil
                && signer.isSigned(by: issuer) && hasSigned(signer)
        }.map { $0.validFrom...$0.validUntil }
    }

    /// Reads the fields: version, responder, time, statements, extensions.
    private static func statements(_ der: [UInt8]) throws -> (produced: Int64, all: [OCSPStatement]) {
        try DER.sequence(try DER.parse(der), identifier: .sequence) { fields in
            _ = try DER.optionalExplicitlyTagged(&fields, tagNumber: 0, tagClass: .contextSpecific) { $0 }
            // Checked so that nothing else that the same key signed passes for an answer.
            guard let responder = fields.next(), responder.identifier.tagClass == .contextSpecific else {
                throw Missing()
            }
            let produced = try GeneralizedTime(derEncoded: &fields).sinceEpoch
            guard let list = fields.next() else { throw Missing() }
            while fields.next() != nil {}
            let all = try DER.sequence(list, identifier: .sequence) { nodes in
                var all: [OCSPStatement] = []
                while let node = nodes.next() {
                    guard all.count < statementLimit else { throw Missing() }
                    all.append(try OCSPStatement(node))
                }
                return all
            }
            return (produced, all)
        }
    }
}

/// A responder's statement about one certificate.
struct OCSPStatement: Sendable {
    enum State: Sendable {
        case good
        case revoked
        case unknown
    }

    let state: State
    let period: StatementPeriod
    private let digest: ASN1ObjectIdentifier
    private let issuerName: [UInt8]
    private let issuerKey: [UInt8]
    private let serial: [UInt8]

    static let sha1: ASN1ObjectIdentifier = [1, 3, 14, 3, 2, 26]
    private static let sha256: ASN1ObjectIdentifier = [2, 16, 840, 1, 101, 3, 4, 2, 1]

    init(_ node: ASN1Node) throws {
        let (identifier, state, period) = try DER.sequence(node, identifier: .sequence) { fields in
            guard let identifier = fields.next(), let status = fields.next(),
                status.identifier.tagClass == .contextSpecific
            else { throw Missing() }
            let from = try GeneralizedTime(derEncoded: &fields).sinceEpoch
            let until = try DER.optionalExplicitlyTagged(&fields, tagNumber: 0, tagClass: .contextSpecific) {
                try GeneralizedTime(derEncoded: $0).sinceEpoch
            }
            while fields.next() != nil {}
            let state: State =
                switch status.identifier.tagNumber {
                case 0: .good
                case 1: .revoked
                default: .unknown
                }
            return (identifier, state, StatementPeriod(from: from, until: until))
        }
        self.state = state
        self.period = period
        (digest, issuerName, issuerKey, serial) = try DER.sequence(identifier, identifier: .sequence) { fields in
            guard let algorithm = fields.next() else { throw Missing() }
            return (
                try Self.digest(algorithm),
                Array(try ASN1OctetString(derEncoded: &fields).bytes),
                Array(try ASN1OctetString(derEncoded: &fields).bytes),
                Array(Certificate.SerialNumber(bytes: try ArraySlice<UInt8>(derEncoded: &fields)).bytes)
            )
        }
    }

    private static func digest(_ algorithm: ASN1Node) throws -> ASN1ObjectIdentifier {
        try DER.sequence(algorithm, identifier: .sequence) { parts in
            let identifier = try ASN1ObjectIdentifier(derEncoded: &parts)
            while parts.next() != nil {}
            return identifier
        }
    }

    func isAbout(_ certificate: ReadCertificate, by issuer: ReadCertificate) -> Bool {
        guard serial == Array(certificate.certificate.serialNumber.bytes) else { return false }
        let (name, key) = (certificate.subjectOfIssuer, Array(issuer.certificate.publicKey.subjectPublicKeyInfoBytes))
        return switch digest {
        // SHA-1 only identifies the key here, and proves nothing.
        case Self.sha1:
            issuerName == Array(Insecure.SHA1.hash(data: name)) && issuerKey == Array(Insecure.SHA1.hash(data: key))
        case Self.sha256: issuerName == Array(SHA256.hash(data: name)) && issuerKey == Array(SHA256.hash(data: key))
        default: false
        }
    }
}
