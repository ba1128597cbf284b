/// A right that an entry of an access object gives.
///
/// The number is Apple's (`CSSM_ACL_AUTHORIZATION_…`); it is in files and on the wire and never changes. A number
/// unknown to this version is kept, so that an entry of a later version survives rewriting.
package struct ACLAuthorization: RawRepresentable, Hashable, Sendable {
    package let rawValue: Int32

    package init(rawValue: Int32) { self.rawValue = rawValue }

    /// Every right.
    package static let any = Self(rawValue: 1)
    package static let keychainItemDelete = Self(rawValue: 17)
    package static let keychainItemInsert = Self(rawValue: 19)
    package static let keychainItemModify = Self(rawValue: 20)
    package static let keychainItemRead = Self(rawValue: 21)
    package static let keychainCreate = Self(rawValue: 22)
    package static let keychainDelete = Self(rawValue: 23)
    /// The right to read a password.
    package static let decrypt = Self(rawValue: 24)
    package static let delete = Self(rawValue: 25)
    package static let derive = Self(rawValue: 28)
    package static let encrypt = Self(rawValue: 35)
    package static let exportClear = Self(rawValue: 37)
    package static let exportWrapped = Self(rawValue: 38)
    package static let generateKey = Self(rawValue: 41)
    package static let importClear = Self(rawValue: 47)
    package static let importWrapped = Self(rawValue: 48)
    package static let login = Self(rawValue: 57)
    package static let mac = Self(rawValue: 59)
    package static let sign = Self(rawValue: 115)
    package static let changeACL = Self(rawValue: 65536)
    package static let changeOwner = Self(rawValue: 65537)
    /// Marks the entry that holds the partition list; no caller asks for this right.
    package static let partitionID = Self(rawValue: 65538)
    /// Marks the entry that holds a digest of the item's attributes; no caller asks for this right.
    package static let integrity = Self(rawValue: 65539)

    /// Stands for a name that is not known.
    package static let unknown = Self(rawValue: 0)

    /// Each right, the string of its `kSecACLAuthorization…` constant, and its name in the output of
    /// `security dump-keychain -a`.
    package static let table: [(tag: ACLAuthorization, constant: String, name: String)] = [
        (.any, "ACLAuthorizationAny", "any"),
        (.login, "ACLAuthorizationLogin", "login"),
        (.generateKey, "ACLAuthorizationGenKey", "genkey"),
        (.delete, "ACLAuthorizationDelete", "delete"),
        (.exportWrapped, "ACLAuthorizationExportWrapped", "export_wrapped"),
        (.exportClear, "ACLAuthorizationExportClear", "export_clear"),
        (.importWrapped, "ACLAuthorizationImportWrapped", "import_wrapped"),
        (.importClear, "ACLAuthorizationImportClear", "import_clear"),
        (.sign, "ACLAuthorizationSign", "sign"),
        (.encrypt, "ACLAuthorizationEncrypt", "encrypt"),
        (.decrypt, "ACLAuthorizationDecrypt", "decrypt"),
        (.mac, "ACLAuthorizationMAC", "mac"),
        (.derive, "ACLAuthorizationDerive", "derive"),
        (.keychainCreate, "ACLAuthorizationKeychainCreate", "dbs_create"),
        (.keychainDelete, "ACLAuthorizationKeychainDelete", "dbs_delete"),
        (.keychainItemRead, "ACLAuthorizationKeychainItemRead", "db_read"),
        (.keychainItemInsert, "ACLAuthorizationKeychainItemInsert", "db_insert"),
        (.keychainItemModify, "ACLAuthorizationKeychainItemModify", "db_modify"),
        (.keychainItemDelete, "ACLAuthorizationKeychainItemDelete", "db_delete"),
        (.changeACL, "ACLAuthorizationChangeACL", "change_acl"),
        (.changeOwner, "ACLAuthorizationChangeOwner", "change_owner"),
        (.partitionID, "ACLAuthorizationPartitionID", "partition_id"),
        (.integrity, "ACLAuthorizationIntegrity", "integrity"),
    ]

    /// The right of a constant; ``unknown`` for any other string, since Apple refuses none.
    package init(constant: String) {
        self = Self.table.first { $0.constant.utf8.elementsEqual(constant.utf8) }?.tag ?? .unknown
    }

    /// The string of the constant. A right without one is shown as any, as Apple does, and keeps its number.
    package var constant: String { Self.table.first { $0.tag == self }?.constant ?? "ACLAuthorizationAny" }

    /// The name that `security dump-keychain -a` prints.
    package var name: String { Self.table.first { $0.tag == self }?.name ?? "tag=\(rawValue)" }

    /// Whether the owner entry gives the right, in addition to entries that do.
    var isOfOwner: Bool { self == .changeACL || self == .changeOwner }

    /// Whether a person may be asked if only the partition list refuses.
    var isReading: Bool { Self.reading.contains(self) }

    private static let reading: Set<ACLAuthorization> = [
        .decrypt, .sign, .mac, .derive, .exportClear, .exportWrapped, .importClear, .importWrapped, .generateKey,
        .changeACL,
    ]
}

extension ACLAuthorization: Comparable {
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension ACLAuthorization: CBORValue {
    package func encode(to writer: inout CBORWriter) { writer.write(Int64(rawValue)) }

    package init(from reader: inout CBORReader) throws(CBORError) {
        guard let number = Int32(exactly: try reader.readInteger()) else { throw .outOfRange }
        self.init(rawValue: number)
    }
}
