import StoreEngine

/// What a keychain's file has beside its items. The numbers are in files: they never change meaning.
enum FileKeychainProperty: Int64 {
    /// What the password opens: readable, and authenticated by itself.
    case header = 1
    /// One byte: whether some daemon has it open, so that a copy that was taken meanwhile may lack its last changes.
    case isInUse = 2
    /// When it locks by itself: readable, and authenticated. Where it is missing, as for a new keychain.
    case settings = 3
    /// Which check-out of a keychain elsewhere was the last that wrote it.
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
