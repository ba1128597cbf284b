extension QueryParser {
    /// The meaning of the second dictionary of `SecItemUpdate`: attributes and `kSecValueData`, nothing else.
    public static func change(
        _ pairs: [(key: String, value: QueryValue)], of itemClass: ItemClass
    ) throws(KeychainError) -> ItemChange {
        guard pairs.count <= Limits.dictionaryPairs else {
            throw KeychainError(.param, "the dictionary has more than \(Limits.dictionaryPairs) pairs")
        }
        var change = ItemChange()
        var accessControl: AccessControl?
        let reader = AttributeReader(itemClass: itemClass)
        for (name, value) in pairs {
            if case .null = value { throw KeychainError(.param, "the value of “\(name)” is null") }
            if name == QueryKey.valueData {
                change.secret = try QueryKey.secret(value, acceptsText: false)
                continue
            }
            if name == QueryKey.useDataProtectionKeychain {
                try QueryKey.requireDataProtection(value)
                continue
            }
            guard !QueryKey.fileKeychainOnly.contains(name) else {
                throw KeychainError(
                    .unimplemented, "“\(name)” belongs to file keychains, which this version does not have")
            }
            guard name.count == 4 else {
                throw KeychainError(.param, "an update changes attributes and kSecValueData, not “\(name)”")
            }
            switch try reader.read(name, value) {
            case .ignored: break
            case .plain(let key, let value): change.attributes[key] = value
            case .accessGroup(let group): change.accessGroup = group
            case .accessibility(let accessibility): change.accessibility = accessibility
            case .accessControl(let control): accessControl = control
            case .synchronizable(.any):
                throw KeychainError(.param, "kSecAttrSynchronizableAny is for searches; an item is one or the other")
            case .synchronizable(let scope): change.isSynchronizable = scope == .synchronizable
            }
        }
        if let accessControl {
            guard change.accessibility == nil || change.accessibility == accessControl.protection else {
                throw KeychainError(.param, "kSecAttrAccessible and kSecAttrAccessControl disagree; give one of them")
            }
            change.accessibility = accessControl.protection
        }
        if change.isSynchronizable == true, change.accessibility?.isThisDeviceOnly == true {
            throw KeychainError.synchronizableThisDeviceOnly
        }
        try change.requireRoom()
        return change
    }
}
