import SwiftASN1
import X509

/// Where a list is to be had, of all certificates of an issuer and by that issuer (RFC 5280, 4.2.1.13).
struct DistributionPoint {
    let names: [GeneralName]

    /// Of one certificate; authorities name one or two.
    private static let limit = 16

    /// All that are of use: none that is of some reasons alone, or whose list somebody else signs.
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
    /// - Throws: for a name that is relative to somebody else's.
    static func fullName(in node: ASN1Node) throws -> [GeneralName] {
        guard node.identifier == .context(0), case .constructed(let nodes) = node.content else { throw Missing() }
        return try nodes.map { try GeneralName(derEncoded: $0) }
    }
}

/// Of which certificates of its issuer a list is (RFC 5280, 5.2.5).
struct IssuingDistributionPoint: Sendable {
    static let identifier: ASN1ObjectIdentifier = [2, 5, 29, 28]

    /// Where lists of this scope are to be had; nil where it does not say, and then that is no limit.
    private let names: [GeneralName]?
    private let isOfAuthorities: Bool?

    /// - Throws: for one of some reasons alone, of certificates of attributes, or of several issuers.
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

    /// Whether the list is of all that could be said of this certificate: it is in none of another point that its issuer may have.
    func includes(_ certificate: ReadCertificate) -> Bool {
        if let isOfAuthorities, isOfAuthorities != certificate.extensions?.isAuthority { return false }
        guard let names else { return true }
        let points = NamedSources(certificate.certificate).points
        return points.contains { point in point.names.contains(where: names.contains) }
    }

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
