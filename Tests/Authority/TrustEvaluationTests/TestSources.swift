import SwiftASN1
import X509

/// Extensions that name the sources of evidence.
enum TestSources {
    /// Authority information access, with responders and issuers' certificates.
    static func access(_ responders: [String] = [], issuers: [String] = []) throws -> Certificate.Extension {
        let descriptions =
            responders.map {
                AuthorityInformationAccess.AccessDescription(
                    method: .ocspServer, location: .uniformResourceIdentifier($0))
            }
            + issuers.map {
                AuthorityInformationAccess.AccessDescription(
                    method: .issuingCA, location: .uniformResourceIdentifier($0))
            }
        return try Certificate.Extension(AuthorityInformationAccess(descriptions), critical: false)
    }

    /// One distribution point for each address.
    static func lists(_ urls: [String]) throws -> Certificate.Extension {
        try points(urls.map { url in { try point(&$0, [.uniformResourceIdentifier(url)]) } })
    }

    /// CRL distribution points, each as the closure writes it.
    static func points(_ all: [(inout DER.Serializer) throws -> Void]) throws -> Certificate.Extension {
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .sequence) { list in
            for one in all { try list.appendConstructedNode(identifier: .sequence, one) }
        }
        return Certificate.Extension(oid: [2, 5, 29, 31], critical: false, value: serializer.serializedBytes[...])
    }

    /// Writes the full name of a point.
    static func point(_ serializer: inout DER.Serializer, _ names: [GeneralName]) throws {
        try serializer.appendConstructedNode(identifier: tag(0)) { point in
            try point.appendConstructedNode(identifier: tag(0)) { full in
                for name in names { try full.serialize(name) }
            }
        }
    }

    static func tag(_ number: UInt) -> ASN1Identifier {
        ASN1Identifier(tagWithNumber: number, tagClass: .contextSpecific)
    }
}
