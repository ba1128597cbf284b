/// What sentences call the keys of a dictionary: by the constants, as programs write them.
enum KeyName {
    /// The longest of another name that is shown.
    private static let shownCharacters = 40

    /// The name of a key that belongs where it was found, or nearly: its constant or, in quotation marks, its spelling.
    static func of(_ key: String, in itemClass: ItemClass? = nil) -> String {
        // One spelling, two constants.
        if key == "type", itemClass == .key || itemClass == .identity { return "kSecAttrKeyType" }
        return constant(key) ?? "“\(key.prefix(shownCharacters))”"
    }

    /// The name of a key that may be none at all: where keys and values are exchanged, it may be a secret, and is not shown.
    static func of(_ key: String, with value: QueryValue, in itemClass: ItemClass? = nil) -> String {
        guard constant(key) == nil, case .text(let text) = value, let exchanged = constant(text) else {
            return of(key, in: itemClass)
        }
        return "a key with the value \(exchanged) (are the two exchanged?)"
    }

    static func of(_ key: AttributeKey, in itemClass: ItemClass? = nil) -> String { of(key.name, in: itemClass) }

    /// The name of the constant with this value.
    static func constant(_ value: String) -> String? {
        constants.first { entry in entry.value.withUTF8Buffer { value.utf8.elementsEqual($0) } }?.symbol.description
    }

    /// The constant that stands for a class.
    static func of(_ itemClass: ItemClass) -> String {
        switch itemClass {
        case .genericPassword: "kSecClassGenericPassword"
        case .internetPassword: "kSecClassInternetPassword"
        case .certificate: "kSecClassCertificate"
        case .key: "kSecClassKey"
        case .identity: "kSecClassIdentity"
        }
    }
}
