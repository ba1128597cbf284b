extension QueryParser {
    /// The meaning of the second dictionary of `SecItemUpdate`: attributes and `kSecValueData`, nothing else.
    package static func change(
        _ pairs: [(key: String, value: QueryValue)], of itemClass: ItemClass
    ) throws(KeychainError) -> ItemChange {
        guard pairs.count <= Limits.dictionaryPairs else {
            throw KeychainError.tooManyPairs()
        }
        var change = ItemChange()
        var accessControl: AccessControl?
        let reader = AttributeReader(itemClass: itemClass)
        for (name, value) in pairs {
            if case .null = value { throw KeychainError.isNull(name) }
            if name == QueryKey.valueData {
                change.secret = try QueryKey.secret(value, acceptsText: false)
                continue
            }
            if name == QueryKey.useDataProtectionKeychain {
                try value.boolean(of: KeyName.of(name))
                continue
            }
            guard !QueryKey.isFileKeychainOnly(name) else {
                throw KeychainError.noAttribute(name, with: value, of: itemClass)
            }
            guard name.count == 4 else {
                try refuse(name, value, of: itemClass)
                continue
            }
            switch try reader.read(name, value) {
            case .ignored: break
            case .plain(let key, let value): change.attributes[key] = value
            case .accessGroup(let group): change.accessGroup = group
            case .accessibility(let accessibility): change.accessibility = accessibility
            case .accessControl(let control): accessControl = control
            case .synchronizable(.any):
                throw KeychainError.anyOutsideSearch()
            case .synchronizable(let scope): change.isSynchronizable = scope == .synchronizable
            }
        }
        if let accessControl {
            try accessControl.requireAgreement(with: change.accessibility)
            change.accessibility = accessControl.protection
            change.constraints = accessControl.constraints?.unbound
        }
        try change.validate(for: itemClass)
        return change
    }

    /// Throws for a key that is no attribute, but accepts the items' own class (behaviour/updating.md, 5 and 6).
    private static func refuse(_ key: String, _ value: QueryValue, of itemClass: ItemClass) throws(KeychainError) {
        if key == QueryKey.itemClass {
            guard try self.itemClass(value) == itemClass else {
                throw KeychainError(.noSuchAttribute, "an update cannot change kSecClass, the class of an item")
            }
            return
        }
        guard KeyName.constant(key) != nil || QueryKey.isSpelt(key) else {
            throw KeychainError.unknownKey(key, with: value)
        }
        throw noAttribute((key, value))
    }

    /// The error for a key of a search in the changes of an update.
    static func noAttribute(_ pair: (key: String, value: QueryValue)) -> KeychainError {
        KeychainError(
            .noSuchAttribute,
            "an update changes attributes and kSecValueData, not \(KeyName.of(pair.key, with: pair.value))")
    }
}
