import ChatelaineModel
import SwiftASN1
import X509

/// A list of revoked certificates (RFC 5280, 5), signed by their issuer.
///
/// It covers all certificates of one issuer, or those that name the place of the list. A list counts for nothing if it
/// holds changes to another list, covers some reasons only, or covers certificates of several issuers. Absence from
/// such a list would prove nothing.
struct CertificateRevocationList: Sendable {
    private let toBeSigned: [UInt8]
    private let signature: [UInt8]
    private let algorithm: SignatureAlgorithm
    private let issuer: ComparableName
    private let period: StatementPeriod
    private let serials: Set<[UInt8]>
    /// Nil for all certificates.
    private let scope: IssuingDistributionPoint?

    /// The most entries of one list; the largest public lists have fewer within ``TrustLimits/maximumRevocationBytes``.
    private static let entries = 50_000

    init(_ der: [UInt8]) throws {
        algorithm = SignatureAlgorithm(ofSigned: der)
        let (body, bits) = try SignedParts.of(der)
        toBeSigned = Array(body.encodedBytes)
        signature = bits
        (issuer, period, serials, scope) = try DER.sequence(body, identifier: .sequence) { fields in
            let first = try Self.next(&fields)
            // An optional version, which lists of version 1 do not have.
            if first.identifier == .integer { _ = try Self.next(&fields) }
            let issuer = ComparableName(try DistinguishedName(derEncoded: try Self.next(&fields)))
            let from = try Self.time(try Self.next(&fields))
            var until: Int64?
            var serials: Set<[UInt8]> = []
            var scope: IssuingDistributionPoint?
            while let field = fields.next() {
                switch field.identifier {
                case .utcTime, .generalizedTime: until = try Self.time(field)
                case .sequence: serials = try Self.serials(field)
                default: scope = try Self.scope(field)
                }
            }
            return (issuer, StatementPeriod(from: from, until: until), serials, scope)
        }
    }

    func state(
        of certificate: ReadCertificate, by issuer: ReadCertificate, at moments: StatementMoments
    ) -> RevocationSources.State {
        let isNamed = serials.contains(Array(certificate.certificate.serialNumber.bytes))
        let isInTime = isNamed ? moments.hasBegun(period) : moments.all.contains(where: period.contains)
        guard isInTime, self.issuer == issuer.subjectName, issuer.extensions?.keyUsage.map({ $0.cRLSign }) ?? true,
            algorithm.verifies(signature, of: toBeSigned, by: issuer.certificate.publicKey),
            // Whoever has not signed the list must not have it compared.
            scope?.includes(certificate) ?? true
        else { return .unknown }
        if isNamed { return .revoked }
        return period.until.map { .good(until: $0) } ?? .unknown
    }

    private static func next(_ fields: inout ASN1NodeCollection.Iterator) throws -> ASN1Node {
        guard let node = fields.next() else { throw Missing() }
        return node
    }

    private static func time(_ node: ASN1Node) throws -> Int64 {
        node.identifier == .utcTime
            ? try UTCTime(derEncoded: node).sinceEpoch : try GeneralizedTime(derEncoded: node).sinceEpoch
    }

    private static func serials(_ node: ASN1Node) throws -> Set<[UInt8]> {
        try DER.sequence(node, identifier: .sequence) { list in
            var serials: Set<[UInt8]> = []
            while let entry = list.next() {
                guard serials.count < entries else { throw Missing() }
                let serial = try DER.sequence(entry, identifier: .sequence) { fields in
                    let serial = Certificate.SerialNumber(
                        bytes: try ArraySlice<UInt8>(derEncoded: &fields))
                    _ = try Self.next(&fields)
                    if let extensions = fields.next() { try refuseCritical(in: extensions) }
                    return Array(serial.bytes)
                }
                serials.insert(serial)
            }
            return serials
        }
    }

    private static let change: ASN1ObjectIdentifier = [2, 5, 29, 27]

    /// The extension that limits the scope of the list, critical or not.
    ///
    /// Any other critical extension might limit it too, so it is refused.
    private static func scope(_ tagged: ASN1Node) throws -> IssuingDistributionPoint? {
        guard tagged.identifier == .context(0), case .constructed(let nodes) = tagged.content else { throw Missing() }
        var scope: IssuingDistributionPoint?
        for node in nodes {
            try DER.sequence(node, identifier: .sequence) { list in
                while let node = list.next() {
                    let found = try Certificate.Extension(derEncoded: node)
                    if found.oid == IssuingDistributionPoint.identifier {
                        guard scope == nil else { throw Missing() }
                        scope = try IssuingDistributionPoint(Array(found.value))
                    } else if found.critical || found.oid == change {
                        throw Missing()
                    }
                }
            }
        }
        return scope
    }

    private static func refuseCritical(in extensions: ASN1Node) throws {
        try DER.sequence(extensions, identifier: .sequence) { list in
            while let node = list.next() {
                guard try !Certificate.Extension(derEncoded: node).critical else { throw Missing() }
            }
        }
    }
}

/// The signed part and the bits of the signature: the first and third part of `SIGNED`.
enum SignedParts {
    static func of(_ der: [UInt8]) throws -> (body: ASN1Node, signature: [UInt8]) {
        try DER.sequence(try DER.parse(der), identifier: .sequence) { parts in
            guard let body = parts.next(), parts.next() != nil else { throw Missing() }
            return (body, Array(try ASN1BitString(derEncoded: &parts).bytes))
        }
    }
}
