/// The key of an attribute: four ASCII characters, such as `acct`, as one number.
///
/// Ordering is that of the number, which is that of the characters and that of the CBOR encodings.
public struct AttributeKey: RawRepresentable, Hashable, Comparable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The key of this name, or nil unless it is exactly four printable ASCII characters.
    public init?(_ name: String) {
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

    public var name: String {
        String(decoding: [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: rawValue >> $0) }, as: UTF8.self)
    }

    public static func < (left: AttributeKey, right: AttributeKey) -> Bool { left.rawValue < right.rawValue }
}

extension AttributeKey {
    public static let account = AttributeKey(literal: "acct")
    public static let service = AttributeKey(literal: "svce")
    public static let server = AttributeKey(literal: "srvr")
    public static let securityDomain = AttributeKey(literal: "sdmn")
    public static let protocolType = AttributeKey(literal: "ptcl")
    public static let authenticationType = AttributeKey(literal: "atyp")
    public static let port = AttributeKey(literal: "port")
    public static let path = AttributeKey(literal: "path")
    public static let label = AttributeKey(literal: "labl")
    public static let itemDescription = AttributeKey(literal: "desc")
    public static let comment = AttributeKey(literal: "icmt")
    public static let generic = AttributeKey(literal: "gena")
    public static let creator = AttributeKey(literal: "crtr")
    public static let type = AttributeKey(literal: "type")
    public static let creationDate = AttributeKey(literal: "cdat")
    public static let modificationDate = AttributeKey(literal: "mdat")
    public static let accessGroup = AttributeKey(literal: "agrp")
    public static let accessible = AttributeKey(literal: "pdmn")
    public static let accessControl = AttributeKey(literal: "accc")
    public static let synchronizable = AttributeKey(literal: "sync")
    public static let tombstone = AttributeKey(literal: "tomb")
    public static let viewHint = AttributeKey(literal: "vwht")
    public static let tokenID = AttributeKey(literal: "tkid")
    public static let sha1 = AttributeKey(literal: "sha1")
    public static let multiUser = AttributeKey(literal: "musr")
    public static let applicationTag = AttributeKey(literal: "atag")
    public static let applicationLabel = AttributeKey(literal: "klbl")
    public static let publicKeyHash = AttributeKey(literal: "pkhh")
    public static let issuer = AttributeKey(literal: "issr")
    public static let serialNumber = AttributeKey(literal: "slnr")
}
