/// Which keychain a dictionary is about (behaviour/dictionaries.md, 25).
///
/// Apple's front end asks both kinds if a dictionary names neither. Chatelaine asks the data protection keychain alone,
/// in which each program has its own items.
package enum QueryTarget: Sendable {
    case dataProtection
    case files

    /// - Throws: `errSecParam` if parts of the dictionary belong to different kinds.
    package init(of pairs: [(key: String, value: QueryValue)]) throws(KeychainError) {
        var (isOfFiles, isOfOther) = (false, false)
        for (key, value) in pairs {
            switch key {
            case QueryKey.useDataProtectionKeychain:
                // This key decides alone. The parser checks its value.
                self = value.boolean == false ? .files : .dataProtection
                return
            case QueryKey.valuePersistentReference, QueryKey.valueReference, QueryKey.matchItemList,
                QueryKey.useItemList:
                let kind = Kind(of: value)
                isOfFiles = isOfFiles || kind.isOfFiles
                isOfOther = isOfOther || kind.isOfOther
            default:
                if QueryKey.isFileKeychainOnly(key) {
                    isOfFiles = true
                } else if QueryKey.isOfDataProtection(key, value) {
                    isOfOther = true
                }
            }
        }
        guard !isOfFiles || !isOfOther else {
            throw KeychainError(
                .param,
                "the dictionary names things of file keychains and things of the data protection keychain; no item is in both"
            )
        }
        self = isOfFiles ? .files : .dataProtection
    }

    /// The kinds of keychain that references belong to.
    private struct Kind {
        var isOfFiles = false
        var isOfOther = false

        init(of value: QueryValue) {
            switch value {
            case _ where value.keychainItem != nil: isOfFiles = true
            case .reference: isOfOther = true
            case .key(let key): isOfOther = key.item != nil
            case .data(let bytes):
                isOfFiles = KeychainItemReference(bytes) != nil
                isOfOther = PersistentReference(bytes) != nil
            case .array(let elements):
                for element in elements {
                    if case .array = element { continue }
                    let kind = Kind(of: element)
                    isOfFiles = isOfFiles || kind.isOfFiles
                    isOfOther = isOfOther || kind.isOfOther
                }
            default: break
            }
        }
    }
}
