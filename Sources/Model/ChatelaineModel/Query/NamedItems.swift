/// The items that a dictionary names one by one: by references, and in lists of them (behaviour/references.md).
struct NamedItems {
    /// `kSecValuePersistentRef`.
    private(set) var persistent: PersistentReference?
    /// `kSecValueRef`.
    private var value: PersistentReference?
    /// The value of `kSecValueRef` if it is a key in memory, or a key to add; also such a key that is a list's only
    /// member.
    private(set) var key: (any GivenKey)?
    /// `kSecMatchItemList`.
    private var matching: List?
    /// `kSecUseItemList`.
    private var used: List?
    /// The classes of the members of `kSecUseItemList`.
    private var usedClasses: Set<ItemClass> = []
    /// Certificates of `kSecValueRef` and of both lists; one element for each of them that has some.
    private var certificates: [[[UInt8]]] = []
    /// The value of `kSecValueRef` if it is a certificate.
    private(set) var certificate: [UInt8]?
    /// Certificates of the identities in the same places, in the same form.
    private var identities: [[[UInt8]]] = []
    /// Whether `kSecValueRef` is an identity.
    private var isIdentity = false

    /// The references in a list, and the classes of the objects in it.
    private struct List {
        let references: [PersistentReference]
        var objects: Set<ItemClass> = []
    }

    /// Takes a pair; returns false if its key names no items.
    mutating func take(
        _ key: String, _ value: QueryValue, for operation: QueryOperation
    ) throws(KeychainError) -> Bool {
        switch key {
        case QueryKey.valuePersistentReference:
            guard case .data(let bytes) = value, let reference = PersistentReference(bytes) else {
                throw KeychainError(.param, "kSecValuePersistentRef must be data that a call returned")
            }
            persistent = reference
        case QueryKey.valueReference:
            if case .certificate(let der, _) = value {
                certificate = der
                certificates.append([der])
                return true
            }
            if case .identity(let der, _, _) = value {
                isIdentity = true
                identities.append([der])
                return true
            }
            if case .key(let key) = value {
                if operation != .add, let item = key.item { self.value = item } else { try name(key) }
                return true
            }
            guard case .reference(let reference) = value else {
                throw KeychainError(.param, "kSecValueRef must be a reference that a call returned")
            }
            guard operation != .add else { throw Self.isStored }
            self.value = reference
        case QueryKey.matchItemList: matching = try list(key, value, for: operation)
        case QueryKey.useItemList: used = try list(key, value, for: operation)
        default: return false
        }
        return true
    }

    static var isStored: KeychainError {
        KeychainError(
            .param, "kSecValueRef names an item that is in the keychain; SecItemAdd takes its attributes instead")
    }

    private mutating func name(_ key: any GivenKey) throws(KeychainError) {
        guard self.key == nil || self.key === key else {
            throw KeychainError(.param, "the dictionary names two keys that are in no keychain")
        }
        self.key = key
    }

    /// The members of a list; nil where its only member is a key in memory, which is found as by `kSecValueRef`.
    private mutating func list(
        _ key: String, _ value: QueryValue, for operation: QueryOperation
    ) throws(KeychainError) -> List? {
        guard case .array(let elements) = value else {
            throw KeychainError(.param, "\(KeyName.of(key)) must be an array of references")
        }
        guard operation != .add else {
            throw KeychainError(.param, "\(KeyName.of(key)) is for searches; SecItemAdd adds one item")
        }
        guard elements.count <= Limits.listedItems else { throw KeychainError.tooManyItems(in: key) }
        if elements.count == 1, case .key(let given) = elements[0], given.item == nil {
            try name(given)
            return nil
        }
        var references: [PersistentReference] = []
        references.reserveCapacity(elements.count)
        var (certificates, identities) = ([[UInt8]](), [[UInt8]]())
        for element in elements {
            switch element {
            case .certificate(let der, _): certificates.append(der)
            case .identity(let der, _, _): identities.append(der)
            case .reference(let reference): references.append(reference)
            case .key(let given):
                guard let reference = given.item else {
                    throw KeychainError(
                        .param, "\(KeyName.of(key)) holds a key that is in no keychain, and further members")
                }
                references.append(reference)
            case .data(let bytes):
                guard let reference = PersistentReference(bytes) else {
                    throw KeychainError(.param, "\(KeyName.of(key)) holds data that no call returned")
                }
                references.append(reference)
            default: throw KeychainError(.param, "\(KeyName.of(key)) holds something that is no reference to an item")
            }
        }
        var objects: Set<ItemClass> = []
        if !certificates.isEmpty { objects.insert(.certificate) }
        if !identities.isEmpty { objects.insert(.identity) }
        if key == QueryKey.useItemList { usedClasses = objects.union(references.map(\.itemClass)) }
        if references.isEmpty || !certificates.isEmpty { self.certificates.append(certificates) }
        if references.isEmpty || !identities.isEmpty { self.identities.append(identities) }
        return List(references: references, objects: objects)
    }

    /// The class that a reference implies; a list to match implies none.
    ///
    /// - Parameter named: the class that the dictionary names, which must be the same.
    func itemClass(named: ItemClass?) throws(KeychainError) -> ItemClass {
        for (key, reference) in [(QueryKey.valuePersistentReference, persistent), (QueryKey.valueReference, value)] {
            guard let reference, let named, reference.itemClass != named else { continue }
            throw KeychainError(
                .noSuchClass, "kSecClass is \(KeyName.of(named)), and \(KeyName.of(key)) names an item of another class"
            )
        }
        if key != nil, let other = named ?? persistent?.itemClass, other != .key {
            throw KeychainError(.noSuchClass, "kSecValueRef is a key, and the dictionary means items of another class")
        }
        if key != nil { return .key }
        if certificate != nil, let other = named ?? persistent?.itemClass, other != .certificate {
            throw KeychainError(
                .noSuchClass, "kSecValueRef is a certificate, and the dictionary means items of another class")
        }
        if certificate != nil { return .certificate }
        if isIdentity, let other = named ?? persistent?.itemClass, other != .identity {
            throw KeychainError(
                .noSuchClass, "kSecValueRef is an identity, and the dictionary means items of another class")
        }
        if isIdentity { return .identity }
        if let named { return named }
        if let persistent, let value, persistent.itemClass != value.itemClass {
            throw KeychainError(.noSuchClass, "kSecValuePersistentRef and kSecValueRef name items of two classes")
        }
        if let reference = persistent ?? value { return reference.itemClass }
        guard usedClasses.count < 2 else {
            throw KeychainError(.param, "kSecUseItemList holds items of several classes; name one with kSecClass")
        }
        guard let itemClass = usedClasses.first else {
            throw KeychainError(.param, "kSecClass is missing; every query names the class of its items")
        }
        return itemClass
    }

    /// The items that are in every list, each once, in the order of the first list; nil if there is no list.
    ///
    /// A list that names its items by objects alone has them in ``listedCertificates(of:)``.
    func listed(of itemClass: ItemClass) -> [ItemIdentifier]? {
        var listed: [ItemIdentifier]?
        for list in [matching, used, value.map { List(references: [$0]) }] {
            guard let list, !list.references.isEmpty || !list.objects.contains(itemClass) else { continue }
            let members = list.references.filter { $0.itemClass == itemClass }.map(\.identifier)
            var rest = Set(members)
            listed = (listed ?? members).filter { rest.remove($0) != nil }
        }
        return listed
    }

    /// The certificates, or those of identities, that are in every place that names some.
    ///
    /// They have the order of the first place; nil if no place names any.
    func listedCertificates(of itemClass: ItemClass) -> [[UInt8]]? {
        let lists = itemClass == .certificate ? certificates : itemClass == .identity ? identities : []
        guard var listed = lists.first else { return nil }
        for list in lists.dropFirst() { listed = listed.filter(Set(list).contains) }
        return listed
    }
}
