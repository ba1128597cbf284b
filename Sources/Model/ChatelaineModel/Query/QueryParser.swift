import ChatelaineMemory

/// Makes an ``ItemQuery``, ``NewItem`` or ``ItemChange`` from the pairs of a caller's dictionary, or throws.
///
/// What each key means is in behaviour/dictionaries.md, 1 to 24. The spelling of a key decides its kind. Four
/// characters are an attribute. Otherwise the first letter tells (class, match, return, use, value). Exceptions to that
/// spelling ("nleg", "persistref") are taken out first (behaviour/differences.md, 11). Throws ``KeychainError`` only.
package struct QueryParser {
    let operation: QueryOperation
    private(set) var query = ItemQuery(itemClass: .genericPassword)
    private var secret: SecretBytes?
    /// The value of `kSecValueRef` if it is a certificate.
    private var certificate: [UInt8]?
    private var accessControl: AccessControl?
    /// The value of `kSecValueRef` if it is a key; its attributes fill in those that the dictionary lacks.
    private var key: (any GivenKey)?
    private var isInteractionForbidden = false
    private var isScopeNamed = false
    /// Whether `kSecMatchLimit` is 0.
    private var findsNothing = false

    /// The meaning of a query dictionary.
    package static func query(
        _ pairs: [(key: String, value: QueryValue)], for operation: SearchOperation
    ) throws(KeychainError) -> ItemQuery {
        var parser = QueryParser(operation: operation.call)
        try parser.parse(pairs)
        try parser.query.validate(for: operation)
        return parser.query
    }

    /// What a dictionary of any call demands of certificates; the limit is none of it.
    static func certificateTerms(
        _ pairs: [(key: String, value: QueryValue)], of itemClass: ItemClass
    ) throws(KeychainError) -> CertificateTerms {
        var parser = QueryParser(operation: .find)
        parser.query.itemClass = itemClass
        for (key, value) in pairs where QueryKey.matchSetAside.contains(key) && key != QueryKey.matchLimit {
            try parser.parseMatch(key, value)
        }
        try parser.query.certificateTerms.validate(for: itemClass, .find)
        return parser.query.certificateTerms
    }

    /// The authentication context in a dictionary; nil if it has none.
    package static func context(of pairs: [(key: String, value: QueryValue)]) -> (any QueryContext)? {
        for (_, value) in pairs { if case .context(let context) = value { return context } }
        return nil
    }

    /// The meaning of the attributes given to `SecItemAdd`.
    package static func newItem(_ pairs: [(key: String, value: QueryValue)]) throws(KeychainError) -> NewItem {
        var parser = QueryParser(operation: .add)
        try parser.parse(pairs)
        let query = parser.query
        var item = NewItem(itemClass: query.itemClass)
        item.attributes = query.attributes
        item.accessGroup = query.accessGroup
        item.isSynchronizable = query.synchronizable == .synchronizable
        item.accessibility = query.accessibility
        if case .exactly(let constraints) = query.constraints { item.constraints = constraints }
        item.secret = try parser.secret(of: parser.certificate, beside: parser.secret) ?? parser.secret
        try parser.completeKey(&item)
        item.returns = query.returns
        item.authenticationUI = query.authenticationUI
        item.prompt = query.prompt
        try item.validate()
        return item
    }

    private init(operation: QueryOperation) { self.operation = operation }

    private mutating func parse(_ pairs: [(key: String, value: QueryValue)]) throws(KeychainError) {
        guard pairs.count <= Limits.dictionaryPairs else {
            throw KeychainError.tooManyPairs()
        }
        try parseClass(pairs)
        for (key, value) in pairs { try parse(key, value) }
        try checkWhole()
    }

    /// The class decides which attributes exist, so it comes first.
    private mutating func parseClass(_ pairs: [(key: String, value: QueryValue)]) throws(KeychainError) {
        var named: ItemClass?
        var items = NamedItems()
        for (key, value) in pairs {
            if case .null = value, key != QueryKey.matchValidOnDate { throw KeychainError.isNull(key) }
            if key == QueryKey.itemClass {
                named = try Self.itemClass(value)
            } else {
                _ = try items.take(key, value, for: operation)
            }
        }
        query.itemClass = try items.itemClass(named: named)
        key = items.key
        query.items = items.listed(of: query.itemClass)
        certificate = items.certificate
        if operation != .add { query.certificates = items.listedCertificates(of: query.itemClass) }
        // A dictionary that was returned can be added again; the new item gets its own reference
        // (behaviour/adding.md, 16).
        if operation != .add { query.identifier = items.persistent?.identifier }
    }

    static func itemClass(_ value: QueryValue) throws(KeychainError) -> ItemClass {
        guard case .text(let name) = value else {
            throw KeychainError(.param, "the value of kSecClass must be one of the kSecClass strings")
        }
        guard let itemClass = ItemClass(name: name) else {
            throw KeychainError(.noSuchClass, "kSecClass names a class that does not exist")
        }
        return itemClass
    }

    private mutating func parse(_ key: String, _ value: QueryValue) throws(KeychainError) {
        switch key {
        case QueryKey.itemClass, QueryKey.valuePersistentReference, QueryKey.valueReference, QueryKey.matchItemList,
            QueryKey.useItemList:
            return
        case QueryKey.useDataProtectionKeychain:
            try value.boolean(of: KeyName.of(key))
            return
        case QueryKey.attributePersistentReference: return try parseRowIdentifier(value)
        default: break
        }
        // These keys mean nothing in a dictionary for the data protection keychain (QueryTarget).
        guard !QueryKey.isFileKeychainOnly(key) else { return }
        if key.utf8.count == 4 { return try parseAttribute(key, value) }
        if let type = QueryKey.returnType(key) { return try parseReturn(type, key, value) }
        // Four characters outside ASCII are an attribute's name too, which no class has.
        if key.count == 4 { return try parseAttribute(key, value) }
        guard key.utf8.count > 1 else { throw KeychainError.unknownKey(key, with: value) }
        switch key.utf8.first {
        case UInt8(ascii: "m"): try parseMatch(key, value)
        case UInt8(ascii: "u"): try parseUse(key, value)
        case UInt8(ascii: "v"): try parseValue(key, value)
        case UInt8(ascii: "f"): break
        default: throw KeychainError.unknownKey(key, with: value)
        }
    }

    private mutating func parseRowIdentifier(_ value: QueryValue) throws(KeychainError) {
        let identifier: ItemIdentifier? =
            switch value {
            case .data(let bytes), .uuid(let bytes): ItemIdentifier(bytes)
            default: nil
            }
        guard operation != .add, let identifier else {
            throw KeychainError(.param, "kSecAttrPersistentReference must be 16 bytes, and has no place in SecItemAdd")
        }
        guard query.identifier == nil || query.identifier == identifier else {
            throw KeychainError(.param, "kSecValuePersistentRef and kSecAttrPersistentReference name two items")
        }
        query.identifier = identifier
    }

    private mutating func parseAttribute(_ name: String, _ value: QueryValue) throws(KeychainError) {
        let reader = AttributeReader(itemClass: query.itemClass)
        switch try reader.read(name, value) {
        case .ignored: break
        // Set aside, so that a returned dictionary finds its item after a change too. The keychain sets the date of an
        // addition itself (behaviour/attributes-and-dates.md, 18 and 21).
        case .plain(.modificationDate, _): break
        case .plain(let key, let value): query.attributes[key] = value
        case .accessGroup(let group): query.accessGroup = group
        case .accessibility(let accessibility):
            query.accessibility = accessibility
        case .accessControl(let control): accessControl = control
        case .synchronizable(let scope):
            guard operation != .add || scope != .any else {
                throw KeychainError.anyOutsideSearch()
            }
            query.synchronizable = scope
            isScopeNamed = true
        }
    }

    private mutating func parseReturn(
        _ type: ReturnTypes, _ key: String, _ value: QueryValue
    ) throws(KeychainError) {
        // Like Apple's front end, update and delete set these aside (behaviour/differences.md, 3).
        guard operation == .add || operation == .find else { return }
        if try value.boolean(of: KeyName.of(key)) { query.returns.insert(type) } else { query.returns.remove(type) }
    }

    private mutating func parseUse(_ key: String, _ value: QueryValue) throws(KeychainError) {
        switch key {
        case QueryKey.useAuthenticationUI:
            guard case .text(let name) = value, let choice = QueryKey.authenticationUI[name] else {
                throw KeychainError(
                    .param, "kSecUseAuthenticationUI must be one of the kSecUseAuthenticationUI strings")
            }
            query.authenticationUI = choice
        case QueryKey.useNoAuthenticationUI:
            if try value.boolean(of: KeyName.of(key)) { isInteractionForbidden = true }
        case QueryKey.useOperationPrompt:
            guard case .text(let text) = value else {
                throw KeychainError(.param, "kSecUseOperationPrompt must be a string")
            }
            query.prompt = text.isEmpty ? nil : OperationPrompt(text)
        case QueryKey.useTombstones:
            query.leavesTombstone = try value.boolean(of: KeyName.of(key))
        case QueryKey.useUserIndependentKeychain:
            guard try !value.boolean(of: KeyName.of(key)) else {
                throw KeychainError(.missingEntitlement, "no program is entitled to the user-independent keychain")
            }
        case QueryKey.useAuthenticationContext:
            guard case .context = value else {
                throw KeychainError(.param, "kSecUseAuthenticationContext must be an LAContext")
            }
        default: throw KeychainError.unknownKey(key, with: value)
        }
    }

    private mutating func parseValue(_ key: String, _ value: QueryValue) throws(KeychainError) {
        switch key {
        case QueryKey.valueData:
            guard operation == .add || operation == .find else { return }
            let secret = try QueryKey.secret(value, acceptsText: operation == .add)
            if operation == .add { self.secret = secret }
        default: throw KeychainError.unknownKey(key, with: value)
        }
    }

    private mutating func parseMatch(_ key: String, _ value: QueryValue) throws(KeychainError) {
        if operation == .update || operation == .delete {
            guard QueryKey.matchSetAside.contains(key) else {
                throw KeychainError(.param, "\(KeyName.of(key, with: value)) has no meaning in an update or a deletion")
            }
            return
        }
        switch key {
        case QueryKey.matchLimit:
            let limit = try QueryKey.limit(value)
            findsNothing = limit == nil
            query.limit = limit ?? .one
        case QueryKey.matchHost:
            guard case .text(let host) = value else {
                throw KeychainError(.param, "kSecMatchHostOrSubdomainOfHost must be a string")
            }
            guard operation == .find else {
                throw KeychainError(.param, "kSecMatchHostOrSubdomainOfHost is for SecItemCopyMatching only")
            }
            query.host = host
        case QueryKey.matchIssuers, QueryKey.matchPolicy:
            guard query.itemClass == .certificate || query.itemClass == .identity else {
                throw KeychainError(.unimplemented, "\(KeyName.of(key)) is for certificates and identities")
            }
            let terms = try QueryKey.terms(key, value)
            if operation == .find { terms(&query.certificateTerms) }
        case QueryKey.matchCaseInsensitive:
            query.ignoresCase = try value.boolean(of: KeyName.of(key))
        default:
            try QueryKey.checkHarmlessMatch(key, value)
            if operation == .find, query.itemClass == .certificate || query.itemClass == .identity {
                QueryKey.take(key, value, into: &query.certificateTerms)
            }
        }
    }

    private mutating func checkWhole() throws(KeychainError) {
        if let accessControl {
            try accessControl.requireAgreement(with: query.accessibility)
            query.accessibility = accessControl.protection
            query.constraints = ConstraintScope(of: accessControl)
        }
        // A dictionary has no order, so the older key wins over the newer one where it forbids interaction.
        if isInteractionForbidden, query.authenticationUI == .allow { query.authenticationUI = .fail }
        if operation != .add, let key { try fill(from: key) }
        try query.requireLoneIdentifier()
        if let identifier = query.identifier, let items = query.items {
            if !items.contains(identifier) { query.identifier = nil }
            query.items = query.identifier == nil ? [] : nil
        }
        // A reference names its item, synchronizable or not; so does a list, unless the dictionary says which are
        // meant.
        if query.identifier != nil || ((query.items ?? query.certificates.map { _ in [] }) != nil && !isScopeNamed) {
            query.synchronizable = .any
        }
        guard !findsNothing || operation != .find else {
            throw KeychainError(.itemNotFound, "kSecMatchLimit is 0, with which nothing is found")
        }
    }

    /// Searches by the attributes of a key in memory.
    private mutating func fill(from key: any GivenKey) throws(KeychainError) {
        guard key.kind != nil else {
            throw KeychainError(
                .param, "nothing tells a symmetric key in memory from others of its size: name its item by tag or label"
            )
        }
        for entry in try key.ownAttributes().searched.entries { fill(entry) }
    }

    private mutating func fill(_ entry: AttributeSet.Entry) {
        if query.attributes[entry.key] == nil { query.attributes[entry.key] = entry.value }
    }
}

// MARK: Keys

extension QueryParser {
    /// Fills in a new key item from an object or from given bytes.
    ///
    /// An object brings its attributes and its bytes, but the dictionary wins (behaviour/keys.md, 9). For given bytes,
    /// class and type say what key they are.
    private func completeKey(_ item: inout NewItem) throws(KeychainError) {
        guard item.itemClass == .key else { return }
        if let key {
            guard item.secret == nil else {
                throw KeychainError(.param, "kSecValueRef and kSecValueData give two keys")
            }
            let own = try key.ownAttributes()
            guard item.attributes[.keyClass] == nil || item.keyHalf == own.half else {
                throw KeychainError(.param, "kSecAttrKeyClass and kSecValueRef contradict each other")
            }
            own.fill(&item.attributes)
            item.keyKind = key.kind
            item.secret = try key.ownRepresentation()
            if own.half == .symmetric { item.keepSymmetricKeyInside() }
        } else if item.secret != nil, item.keyHalf == .privateKey || item.keyHalf == .publicKey,
            case .number(let type)? = item.attributes[.type]
        {
            item.keyKind = KeyKind(appleType: type)
        } else if let secret = item.secret, item.keyHalf == .symmetric,
            item.attributes[.type] == .number(KeyAttributes.aesType)
        {
            KeyAttributes(aesBits: try KeyAttributes.aesBits(of: secret)).fill(&item.attributes)
            item.keepSymmetricKeyInside()
        }
    }
}
