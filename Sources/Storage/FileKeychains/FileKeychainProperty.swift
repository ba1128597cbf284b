import StoreEngine

/// The properties in a keychain's file, beside its items; their numbers never change meaning.
enum FileKeychainProperty: Int64 {
    /// The header, which the password opens: readable, and authenticated by itself.
    case header = 1
    /// One byte: whether a daemon has the file open, so that a copy taken meanwhile may lack its last changes.
    case isInUse = 2
    /// The settings of automatic locking: readable and authenticated; without them those of a new keychain hold.
    case settings = 3
    /// The token of the last check-out that wrote a keychain elsewhere.
    case checkOut = 4
}

extension StoreProperties {
    package var header: [UInt8]? { self[FileKeychainProperty.header.rawValue] }

    var settings: [UInt8]? { self[FileKeychainProperty.settings.rawValue] }

    var isInUse: Bool { self[FileKeychainProperty.isInUse.rawValue] == Self.used }

    var checkOut: CheckOutToken? { self[FileKeychainProperty.checkOut.rawValue].flatMap { CheckOutToken($0) } }

    static func checkOut(_ token: CheckOutToken) -> StoreProperties {
        [FileKeychainProperty.checkOut.rawValue: token.bytes]
    }

    static func inUse(_ isInUse: Bool) -> StoreProperties {
        [FileKeychainProperty.isInUse.rawValue: isInUse ? used : [0]]
    }

    static func header(_ header: [UInt8]) -> StoreProperties { [FileKeychainProperty.header.rawValue: header] }

    static func settings(_ settings: [UInt8]) -> StoreProperties { [FileKeychainProperty.settings.rawValue: settings] }

    private static let used: [UInt8] = [1]
}
