/// Names the keys of a dictionary in messages: by their constants, as programs write them.
enum KeyName {
    /// The number of characters that are shown of a key without a constant.
    private static let shownCharacters = 40

    /// The name of a key: its constant or, in quotation marks, its spelling.
    static func of(_ key: String, in itemClass: ItemClass? = nil) -> String {
        // This spelling has two constants.
        if key == "type", itemClass == .key || itemClass == .identity { return "kSecAttrKeyType" }
        return constant(key) ?? "“\(key.prefix(shownCharacters))”"
    }

    /// The name of a key that may have been exchanged with its value.
    ///
    /// Such a key may be a secret, so it is not shown.
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
