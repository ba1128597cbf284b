/// The key of an attribute: four ASCII characters, such as `acct`, as one number.
///
/// Keys are ordered by the number, which is the order of the characters and of the CBOR encodings too.
package struct AttributeKey: RawRepresentable, Hashable, Comparable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The key of this name; nil unless the name is exactly four printable ASCII characters.
    package init?(_ name: String) {
        var value: UInt32 = 0
        var count = 0
        for byte in name.utf8 {
            guard count < 4, (0x20...0x7E).contains(byte) else { return nil }
            value = value << 8 | UInt32(byte)
            count += 1
        }
        guard count == 4 else { return nil }
        rawValue = value
    }

    init(literal name: StaticString) {
        rawValue = name.withUTF8Buffer { $0.prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }
    }

    package var name: String {
        // A listing makes the names of each hit, so that they take no memory besides the string's own.
        String(unsafeUninitializedCapacity: 4) { buffer in
            for index in 0..<4 { buffer[index] = UInt8(truncatingIfNeeded: rawValue >> (24 - 8 * index)) }
            return 4
        }
    }

    package static func < (left: AttributeKey, right: AttributeKey) -> Bool { left.rawValue < right.rawValue }
}

extension AttributeKey {
    package static let account = AttributeKey(literal: "acct")
    package static let service = AttributeKey(literal: "svce")
    package static let server = AttributeKey(literal: "srvr")
    package static let securityDomain = AttributeKey(literal: "sdmn")
    package static let protocolType = AttributeKey(literal: "ptcl")
    package static let authenticationType = AttributeKey(literal: "atyp")
    package static let port = AttributeKey(literal: "port")
    package static let path = AttributeKey(literal: "path")
    package static let label = AttributeKey(literal: "labl")
    package static let itemDescription = AttributeKey(literal: "desc")
    package static let comment = AttributeKey(literal: "icmt")
    package static let generic = AttributeKey(literal: "gena")
    package static let creator = AttributeKey(literal: "crtr")
    package static let type = AttributeKey(literal: "type")
    package static let creationDate = AttributeKey(literal: "cdat")
    package static let modificationDate = AttributeKey(literal: "mdat")
    package static let accessGroup = AttributeKey(literal: "agrp")
    package static let accessible = AttributeKey(literal: "pdmn")
    package static let accessControl = AttributeKey(literal: "accc")
    package static let synchronizable = AttributeKey(literal: "sync")
    package static let tombstone = AttributeKey(literal: "tomb")
    package static let viewHint = AttributeKey(literal: "vwht")
    package static let tokenID = AttributeKey(literal: "tkid")
    package static let sha1 = AttributeKey(literal: "sha1")
    package static let applicationTag = AttributeKey(literal: "atag")
    package static let applicationLabel = AttributeKey(literal: "klbl")
    package static let publicKeyHash = AttributeKey(literal: "pkhh")
    package static let issuer = AttributeKey(literal: "issr")
    package static let serialNumber = AttributeKey(literal: "slnr")
    package static let subject = AttributeKey(literal: "subj")
    package static let subjectKeyIdentifier = AttributeKey(literal: "skid")
    package static let certificateType = AttributeKey(literal: "ctyp")
    package static let certificateEncoding = AttributeKey(literal: "cenc")

    /// The attributes that are derived from a certificate.
    package static let derivedOfCertificates: [AttributeKey] = [
        .certificateType, .certificateEncoding, .issuer, .subject, .serialNumber, .subjectKeyIdentifier, .publicKeyHash,
    ]
}
