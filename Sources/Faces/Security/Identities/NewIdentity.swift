import ChatelaineIPC
import ChatelaineModel

/// An identity that is to be stored: its certificate and its key, which are items of their own.
struct NewIdentity {
    /// `kSecClass` and `kSecValueRef`.
    private static let (itemClass, object) = ("class", "v_Ref")

    private let certificate: NewItem
    /// Nil of a key that is in the keychain.
    private let key: NewItem?
    private let der: [UInt8]
    private let returns: ReturnTypes
    private let context: CallContext?

    /// Both are parsed before either is sent, so that what is wrong with one leaves nothing of the other.
    ///
    /// - Returns: nil where the pairs are about no identity.
    init?(_ pairs: [ItemCalls.Pair]) throws(KeychainError) {
        guard case .identity(let der, let key)? = pairs.last(where: { $0.key == Self.object })?.value
        else { return nil }
        if let named = pairs.last(where: { $0.key == Self.itemClass })?.value {
            guard case .text(ItemClass.identity.name) = named else {
                throw KeychainError(.noSuchClass, "kSecValueRef is an identity, and kSecClass names another class")
            }
        }
        context = CallContext.of(pairs)
        self.der = der
        var certificate = try QueryParser.newItem(Self.pairs(pairs, .certificate, .certificate(der)))
        (returns, certificate.returns) = (certificate.returns, [])
        context?.complete(&certificate.authenticationUI, &certificate.prompt)
        self.certificate = certificate
        guard key.item == nil else {
            self.key = nil
            return
        }
        var item = try QueryParser.newItem(Self.pairs(pairs, .key, .key(key)))
        item.returns = []
        context?.complete(&item.authenticationUI, &item.prompt)
        self.key = item
    }

    /// What of the pairs is about one half.
    static func pairs(
        _ pairs: [ItemCalls.Pair], _ itemClass: ItemClass, _ object: QueryValue
    ) -> [ItemCalls.Pair] {
        var own: [ItemCalls.Pair] = [(Self.itemClass, .text(itemClass.name)), (Self.object, object)]
        for (name, value) in pairs where name != Self.itemClass && name != Self.object {
            if itemClass == .certificate, case .accessControl(let control) = value {
                // A certificate is no secret: it has the class of its key, and no constraints.
                own.append((AttributeKey.accessible.name, .text(control.protection.name)))
            } else if isOf(itemClass, name) {
                own.append((name, value))
            }
        }
        return own
    }

    /// What no class has goes to both, and is refused there.
    private static func isOf(_ itemClass: ItemClass, _ name: String) -> Bool {
        guard let key = AttributeKey(name), AttributeSchema.of(.identity).kind(of: key) != nil else { return true }
        return AttributeSchema.of(itemClass).kind(of: key) != nil
    }

    /// - Throws: `errSecDuplicateItem` where both are there already.
    func add() throws(KeychainError) -> ResultTree? {
        if let context { return try add(by: context.caller) }
        return try add(by: KeychainClient.shared)
    }

    private func add(by caller: some KeychainCalling) throws(KeychainError) -> ResultTree? {
        guard try store(by: caller) else {
            throw KeychainError(.duplicateItem, "certificate and private key of the identity are in the keychain")
        }
        return returns.isEmpty ? nil : try find(returns, by: caller)
    }

    /// Whether something of it is new.
    private func store(by caller: some KeychainCalling) throws(KeychainError) -> Bool {
        let added = try Self.add(certificate, by: caller)
        do throws(KeychainError) {
            let isKeyNew = try key.map { (key) throws(KeychainError) in try Self.add(key, by: caller) != nil } ?? false
            return added != nil || isKeyNew
        } catch {
            if let added {
                var query = ItemQuery(itemClass: .certificate)
                (query.identifier, query.synchronizable) = (added.identifier, .any)
                // What the addition failed with is what the program has to know.
                try? caller.delete(query)
            }
            throw error
        }
    }

    private func find(_ returns: ReturnTypes, by caller: some KeychainCalling) throws(KeychainError) -> ResultTree? {
        var query = ItemQuery(itemClass: .identity)
        (query.certificates, query.synchronizable) = ([der], .any)
        (query.accessGroup, query.returns) = (certificate.accessGroup, returns)
        return try ItemCalls.find(query, by: caller, in: context)
    }

    /// The identity in the keychain, which may have been there before.
    func stored() throws(KeychainError) -> SecIdentity {
        if let context { return try stored(by: context.caller) }
        return try stored(by: KeychainClient.shared)
    }

    private func stored(by caller: some KeychainCalling) throws(KeychainError) -> SecIdentity {
        _ = try store(by: caller)
        guard case .identity(let der, let key)? = try find(.reference, by: caller) else {
            throw KeychainError(.itemNotFound, "an identity that was stored is not there any more")
        }
        return SecIdentity(certificate: SecCertificate(der: der), privateKey: SecKey(key))
    }

    /// Nil where it is there already.
    static func add(_ item: NewItem, by caller: some KeychainCalling) throws(KeychainError) -> FoundItem? {
        do throws(KeychainError) {
            return try caller.add(item)
        } catch  where error.status == .duplicateItem {
            return nil
        }
    }
}
