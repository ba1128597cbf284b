import ChatelaineMemory

/// The keys of a dictionary that are not attributes, and the reading of their values.
enum QueryKey {
    static let itemClass = "class"
    static let useDataProtectionKeychain = "nleg"
    static let attributePersistentReference = "persistref"

    static let valueData = "v_Data"
    static let valueReference = "v_Ref"
    static let valuePersistentReference = "v_PersistentRef"

    static let useAuthenticationUI = "u_AuthUI"
    static let useNoAuthenticationUI = "u_NoAuthUI"
    static let useOperationPrompt = "u_OpPrompt"
    static let useAuthenticationContext = "u_AuthCtx"
    static let useUserIndependentKeychain = "u_UserIndependentKeychain"
    static let useTombstones = "u_Tomb"

    static let useItemList = "u_ItemList"

    static let matchItemList = "m_ItemList"
    static let matchLimit = "m_Limit"
    static let matchHost = "m_HostOrSubdomainOfHost"
    static let matchIssuers = "m_Issuers"
    static let matchPolicy = "m_Policy"
    static let matchValidOnDate = "m_ValidOnDate"
    static let matchTrustedOnly = "m_TrustedOnly"
    static let matchEmail = "m_EmailAddressIfPresent"
    static let matchSubjectContains = "m_SubjectContains"
    static let matchCaseInsensitive = "m_CaseInsensitive"

    static let useKeychain = "u_Keychain"
    static let matchSearchList = "m_SearchList"
    static let access = "acls"
    static let pseudorandomFunction = "prf"
    static let salt = "salt"
    static let iterations = "rounds"

    /// Match keys of certificates and identities, without effect on passwords.
    static let ofCertificates: Set<String> = [
        "m_SubjectStartsWith", "m_SubjectEndsWith", "m_SubjectWholeString", "m_DiacriticInsensitive",
        "m_WidthInsensitive",
    ]

    /// Whether a key is for file keychains and means nothing in the data protection keychain.
    ///
    /// Each call asks this about each of its keys, and a look into a set takes ten times a comparison.
    static func isFileKeychainOnly(_ key: String) -> Bool {
        switch key {
        case matchSearchList, useKeychain, access, pseudorandomFunction, salt, iterations: true
        default: key.utf8.first == UInt8(ascii: "m") && ofCertificates.contains(key)
        }
    }

    /// Attributes that items of file keychains do not have; a query in file keychains sets them aside.
    static let ofOtherKeychain: Set<String> = ["pdmn", "accc", "agrp", "sync", "tomb"]

    /// Whether a pair selects the data protection keychain and means nothing in file keychains.
    static func isOfDataProtection(_ key: String, _ value: QueryValue) -> Bool {
        switch key {
        case "accc", "tkid": true
        case "sync": value.boolean == true
        default: false
        }
    }

    /// Match keys that an update or deletion accepts and sets aside, as Apple's front end does
    /// (behaviour/updating.md, 3).
    static let matchSetAside: Set<String> = [
        matchLimit, matchIssuers, matchPolicy, matchValidOnDate, matchTrustedOnly, matchEmail, matchSubjectContains,
        matchCaseInsensitive,
    ]

    static func returnType(_ key: String) -> ReturnTypes? {
        switch key {
        case "r_Data": .data
        case "r_Attributes": .attributes
        case "r_Ref": .reference
        case "r_PersistentRef": .persistentReference
        default: nil
        }
    }

    /// Whether a key is spelt like the keys that say what to match, return, use or call back, or that give a value.
    static func isSpelt(_ key: String) -> Bool { key.utf8.count > 1 && key.first.map("mruvf".contains) ?? false }

    static let authenticationUI: [String: AuthenticationUI] = [
        "u_AuthUIA": .allow, "u_AuthUIF": .fail, "u_AuthUIS": .skip,
    ]

    /// The limit that a value stands for; nil for 0, with which nothing is found.
    ///
    /// A negative number stands for no limit (behaviour/finding.md, 12 and 13).
    static func limit(_ value: QueryValue) throws(KeychainError) -> MatchLimit? {
        switch value {
        case .text("m_LimitOne"), .number(1): return .one
        case .text("m_LimitAll"): return .all
        case .number(0): return nil
        case .number(let number): return number < 0 ? .all : .count(Int(clamping: number))
        default:
            throw KeychainError(
                .param, "kSecMatchLimit must be kSecMatchLimitOne, kSecMatchLimitAll or a whole number")
        }
    }

    static func secret(_ value: QueryValue, acceptsText: Bool) throws(KeychainError) -> SecretBytes {
        let secret: SecretBytes
        switch value {
        case .secret(let bytes): secret = bytes
        case .data(let bytes): secret = SecretBytes(bytes)
        case .text(let text) where acceptsText: secret = SecretBytes(text.utf8)
        default: throw KeychainError(.param, "kSecValueData must be data")
        }
        guard secret.count <= Limits.secretBytes else {
            throw KeychainError(
                .dataTooLarge, "kSecValueData has \(secret.count) bytes; an item holds \(Limits.secretBytes) at most")
        }
        return secret
    }

    /// Checks the type of a match key that has no effect, or an effect on certificates only.
    static func checkHarmlessMatch(_ key: String, _ value: QueryValue) throws(KeychainError) {
        let isValid: Bool
        switch (key, value) {
        case (matchTrustedOnly, _): isValid = value.boolean != nil
        case (matchValidOnDate, .date), (matchValidOnDate, .null): isValid = true
        case (matchValidOnDate, _): isValid = false
        case (matchEmail, .text): isValid = true
        case (matchEmail, _): isValid = false
        default: isValid = true
        }
        guard isValid else { throw KeychainError(.param, "the value of \(KeyName.of(key)) has the wrong type") }
    }
}
