import SwiftASN1
import X509

/// A place to fetch a list of all certificates of an issuer, signed by that issuer (RFC 5280, 4.2.1.13).
struct DistributionPoint {
    let names: [GeneralName]

    /// The most points of one certificate; authorities name one or two.
    private static let limit = 16

    /// All usable points: none for some reasons only, and none whose list another issuer signs.
    static func all(in value: [UInt8]) throws -> [DistributionPoint] {
        try DER.sequence(try DER.parse(value), identifier: .sequence) { list in
            var all: [DistributionPoint] = []
            while let node = list.next() {
                if all.count < limit, let names = try? names(ofPoint: node) {
                    all.append(DistributionPoint(names: names))
                }
            }
            return all
        }
    }

    private static func names(ofPoint node: ASN1Node) throws -> [GeneralName] {
        try DER.sequence(node, identifier: .sequence) { fields in
            try DER.explicitlyTagged(&fields, tagNumber: 0, tagClass: .contextSpecific) { try fullName(in: $0) }
        }
    }

    /// The names of a `DistributionPointName`.
    ///
    /// - Throws: for a name that is relative to another name.
    static func fullName(in node: ASN1Node) throws -> [GeneralName] {
        guard node.identifier == .context(0), case .constructed(let nodes) = node.content else { throw Missing() }
        return try nodes.map { try GeneralName(derEncoded: $0) }
    }
}

/// The scope of a list among the certificates of its issuer (RFC 5280, 5.2.5).
struct IssuingDistributionPoint: Sendable {
    static let identifier: ASN1ObjectIdentifier = [2, 5, 29, 28]

    /// The names of the place of the list; nil if it names none, which is no limit.
    private let names: [GeneralName]?
    private let isOfAuthorities: Bool?

    /// - Throws: for a list for some reasons only, of attribute certificates, or of several issuers.
    init(_ value: [UInt8]) throws {
        (names, isOfAuthorities) = try DER.sequence(try DER.parse(value), identifier: .sequence) { fields in
            let names = try DER.optionalExplicitlyTagged(&fields, tagNumber: 0, tagClass: .contextSpecific) {
                try DistributionPoint.fullName(in: $0)
            }
            let isOfUsers = try Self.flag(1, &fields)
            let isOfAuthorities = try Self.flag(2, &fields)
            guard !(isOfUsers && isOfAuthorities) else { throw Missing() }
            return (names, isOfUsers || isOfAuthorities ? isOfAuthorities : nil)
        }
    }

    /// Whether the list covers this certificate completely, so that no other list of the issuer has to be checked.
    func includes(_ certificate: ReadCertificate) -> Bool {
        if let isOfAuthorities, isOfAuthorities != certificate.extensions?.isAuthority { return false }
        guard let names else { return true }
        let points = NamedSources(certificate.certificate).points
        return points.contains { point in
            point.names.prefix(Self.mostNames).contains(where: names.prefix(Self.mostNames).contains)
        }
    }

    /// The most names of one place that are compared; authorities write one or two.
    private static let mostNames = 32

    /// A BOOLEAN whose default is false.
    private static func flag(_ number: UInt, _ fields: inout ASN1NodeCollection.Iterator) throws -> Bool {
        try DER.optionalImplicitlyTagged(&fields, tagNumber: number, tagClass: .contextSpecific) { node in
            try Bool(derEncoded: node, withIdentifier: .context(number))
        } ?? false
    }
}

extension ASN1Identifier {
    static func context(_ number: UInt) -> Self { Self(tagWithNumber: number, tagClass: .contextSpecific) }
}
