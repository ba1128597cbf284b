import ChatelaineMemory

/// The parts of a dictionary that are about file keychains, apart from the ordinary query in the rest of it.
package struct FileKeychainTerms {
    package typealias Pair = (key: String, value: QueryValue)

    /// The keychains and items that are searched.
    package private(set) var scope = KeychainScope()
    /// The resolved path of the keychain to which an item is added; nil for the default one.
    package private(set) var keychain: String?
    package private(set) var access: AccessObject?
    /// The subjects that certificates have to have.
    package private(set) var subject = SubjectTerms()
    /// What else certificates have to be like that are changed or deleted; a search has that in its query.
    package private(set) var certificate = CertificateTerms()
    /// The pairs that ``QueryParser`` understands.
    package private(set) var rest: [Pair] = []

    /// Paths of the keychains of the items that the dictionary names.
    private var paths: [String] = []
    private var items: [KeychainItemReference]?
    /// The keychains of `kSecMatchSearchList`.
    private var list: [String]?
    private let operation: QueryOperation

    package static func query(
        _ pairs: [Pair], for operation: SearchOperation
    ) throws(KeychainError) -> (terms: FileKeychainTerms, query: ItemQuery) {
        var terms = try FileKeychainTerms(pairs, operation.call)
        var query = try QueryParser.query(terms.rest, for: operation)
        if query.itemClass != .certificate, query.itemClass != .identity {
            terms.subject = SubjectTerms()
        } else if operation != .find {
            terms.certificate = try QueryParser.certificateTerms(terms.rest, of: query.itemClass)
        }
        // A search in file keychains that asks for no return type returns references.
        if operation == .find, query.returns.isEmpty { query.returns = .reference }
        return (terms, query)
    }

    package static func newItem(
        _ pairs: [Pair]
    ) throws(KeychainError) -> (terms: FileKeychainTerms, item: NewItem) {
        let terms = try FileKeychainTerms(pairs, .add)
        var item = try QueryParser.newItem(terms.rest)
        item.access = terms.access
        return (terms, item)
    }

    /// The meaning of the second dictionary of `SecItemUpdate`.
    package static func change(
        _ pairs: [Pair], of itemClass: ItemClass
    ) throws(KeychainError) -> (change: ItemChange, access: AccessObject?) {
        if let pair = pairs.first(where: { ofSearches.contains($0.key) }) { throw QueryParser.noAttribute(pair) }
        let terms = try FileKeychainTerms(pairs, .update)
        let rest = terms.rest.map { key, value -> Pair in
            if key == QueryKey.valueData, case .text(let text) = value {
                (key, .secret(SecretBytes(text.utf8)))
            } else {
                (key, value)
            }
        }
        return (try QueryParser.change(rest, of: itemClass), terms.access)
    }

    /// The keys that only say what a call is about, so that an update changes nothing by them.
    private static let ofSearches = QueryKey.ofCertificates.union([
        QueryKey.useKeychain, QueryKey.matchSearchList, QueryKey.matchItemList, QueryKey.useItemList,
        QueryKey.valueReference, QueryKey.valuePersistentReference, QueryKey.matchSubjectContains,
    ])

    private init(_ pairs: [Pair], _ operation: QueryOperation) throws(KeychainError) {
        self.operation = operation
        rest.reserveCapacity(pairs.count)
        var itemClass: ItemClass?
        for (key, value) in pairs {
            if case .null = value, key != QueryKey.matchValidOnDate { throw KeychainError.isNull(key) }
            if let named = try take(key, value) {
                guard itemClass == nil || itemClass == named else {
                    throw KeychainError(.noSuchClass, "the dictionary names items of two classes")
                }
                itemClass = named
            }
        }
        if let itemClass, !rest.contains(where: { $0.key == QueryKey.itemClass }) {
            rest.append((QueryKey.itemClass, .text(itemClass.name)))
        }
        guard list?.isEmpty != true else {
            // Without a path the search list would be searched, and a program that has filtered its keychains would
            // change all of them.
            scope.items = []
            return
        }
        scope = KeychainScope(paths: list ?? keychain.map { [$0] } ?? paths, items: items)
    }

    /// - Returns: the class of an item that the pair names.
    private mutating func take(_ key: String, _ value: QueryValue) throws(KeychainError) -> ItemClass? {
        switch key {
        case QueryKey.useDataProtectionKeychain: try value.boolean(of: KeyName.of(key))
        case QueryKey.useKeychain: keychain = try Self.path(value, key)
        case QueryKey.matchSearchList: list = try Self.paths(value)
        case QueryKey.access:
            guard case .access(let object) = value else {
                throw KeychainError(.param, "kSecAttrAccess must be a SecAccess")
            }
            access = object
        case QueryKey.valueReference, QueryKey.valuePersistentReference:
            // A dictionary that was returned can be added again.
            guard operation != .add || key == QueryKey.valueReference else { break }
            guard !value.isObject || operation != .add && value.keychainItem != nil else {
                // The parser takes an object by what it is, as for the data protection keychain.
                rest.append((key, value))
                break
            }
            guard operation != .add else { throw NamedItems.isStored }
            let handle = try handle(value, key)
            restrict(to: [handle])
            return handle.reference.item.itemClass
        case QueryKey.matchItemList, QueryKey.useItemList:
            guard case .array(let elements) = value, operation != .add else {
                throw KeychainError(.param, "\(KeyName.of(key)) must be an array of references, and is for searches")
            }
            guard elements.count <= Limits.listedItems else { throw KeychainError.tooManyItems(in: key) }
            guard elements.isEmpty || !elements.allSatisfy({ $0.isObject && $0.keychainItem == nil }) else {
                rest.append((key, value))
                break
            }
            var handles: [KeychainItemHandle] = []
            for element in elements { handles.append(try handle(element, key)) }
            restrict(to: handles)
            let classes = Set(handles.map(\.reference.item.itemClass))
            return key == QueryKey.useItemList && classes.count == 1 ? classes.first : nil
        case QueryKey.iterations, QueryKey.salt, QueryKey.pseudorandomFunction:
            throw KeychainError(
                .unimplemented, "\(KeyName.of(key)) is for SecKeyDeriveFromPassword, and no item keeps it")
        default:
            // Apple's front end takes these keys out as well.
            guard try !subject.take(key, value), !QueryKey.ofOtherKeychain.contains(key) else { break }
            rest.append((key, value))
        }
        return nil
    }

    private mutating func restrict(to handles: [KeychainItemHandle]) {
        for path in handles.compactMap(\.path) where !paths.contains(path) { paths.append(path) }
        // A stored reference may lead to any keychain, so the search list comes first.
        if handles.contains(where: { $0.path == nil }) { paths = [] }
        let named = handles.map(\.reference)
        items = items.map { items in items.filter(Set(named).contains) } ?? named
    }

    private func handle(_ value: QueryValue, _ key: String) throws(KeychainError) -> KeychainItemHandle {
        switch value {
        case _ where value.keychainItem != nil: if let handle = value.keychainItem { return handle }
        case .data(let bytes):
            if let reference = KeychainItemReference(bytes) { return KeychainItemHandle(reference, at: nil) }
        default: break
        }
        throw KeychainError(.param, "\(KeyName.of(key)) must name items of file keychains, by what a call returned")
    }

    private static func path(_ value: QueryValue, _ key: String) throws(KeychainError) -> String {
        guard case .keychain(let path) = value else {
            throw KeychainError(.param, "\(KeyName.of(key)) must be a SecKeychain, or hold such")
        }
        return path
    }

    private static func paths(_ value: QueryValue) throws(KeychainError) -> [String] {
        guard case .array(let elements) = value else { return [try path(value, QueryKey.matchSearchList)] }
        guard elements.count <= KeychainPreferences.maximumKeychains else {
            throw KeychainError(
                .param, "kSecMatchSearchList lists more than \(KeychainPreferences.maximumKeychains) keychains")
        }
        var paths: [String] = []
        for element in elements {
            let path = try path(element, QueryKey.matchSearchList)
            if !paths.contains(path) { paths.append(path) }
        }
        return paths
    }
}

extension QueryValue {
    /// Whether the value is a certificate, key or identity, in memory or in a keychain.
    fileprivate var isObject: Bool {
        switch self {
        case .certificate, .key, .identity: true
        default: false
        }
    }
}
