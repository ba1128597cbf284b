import ChatelaineIPC
import ChatelaineModel

/// A new identity: its certificate and its key, which are stored as items of their own.
struct NewIdentity {
    /// `kSecClass` and `kSecValueRef`.
    private static let (itemClass, object) = ("class", "v_Ref")

    private let certificate: NewItem
    /// The key's item; nil for a key that is already in the keychain.
    private let key: NewItem?
    private let der: [UInt8]
    private let returns: ReturnTypes
    private let place: any IdentityPlace

    /// Parses both items before either is sent, so that an error in one does not leave the other behind.
    ///
    /// - Parameter keyLabel: the label of the key, unless the pairs have one for both; a certificate is called after
    ///   its subject.
    /// - Returns: nil where the pairs do not describe an identity.
    init?(_ pairs: [ItemCalls.Pair], keyLabel: String? = nil) throws(KeychainError) {
        guard case .identity(let der, let key, _)? = pairs.last(where: { $0.key == Self.object })?.value
        else { return nil }
        if let named = pairs.last(where: { $0.key == Self.itemClass })?.value {
            guard case .text(ItemClass.identity.name) = named else {
                throw KeychainError(.noSuchClass, "kSecValueRef is an identity, and kSecClass names another class")
            }
        }
        self.der = der
        place = try Self.place(pairs)
        (certificate, returns) = try place.parsed(Self.pairs(pairs, .certificate, .certificate(der)))
        var ofKey = Self.pairs(pairs, .key, .key(key))
        if let keyLabel, !ofKey.contains(where: { $0.key == AttributeKey.label.name }) {
            ofKey.append((AttributeKey.label.name, .text(keyLabel)))
        }
        self.key = try place.has(key) ? nil : try place.item(ofKey)
    }

    /// The keychain that a dictionary names.
    static func place(_ pairs: [ItemCalls.Pair]) throws(KeychainError) -> any IdentityPlace {
        let context = CallContext.of(pairs)
        guard case .files = try QueryTarget(of: pairs) else { return DataProtectionIdentityPlace(context: context) }
        guard let keychain = pairs.last(where: { $0.key == (kSecUseKeychain as String) })?.value else {
            return FileIdentityPlace(path: nil, context: context)
        }
        guard case .keychain(let path) = keychain else {
            throw KeychainError(.param, "what is given as a keychain is no SecKeychain")
        }
        return FileIdentityPlace(path: path, context: context)
    }

    /// The pairs that apply to one half.
    static func pairs(
        _ pairs: [ItemCalls.Pair], _ itemClass: ItemClass, _ object: QueryValue
    ) -> [ItemCalls.Pair] {
        var own: [ItemCalls.Pair] = [(Self.itemClass, .text(itemClass.name)), (Self.object, object)]
        for (name, value) in pairs where name != Self.itemClass && name != Self.object {
            if itemClass == .certificate, case .accessControl(let control) = value {
                // A certificate is no secret: it gets the protection class of its key, and no constraints.
                own.append((AttributeKey.accessible.name, .text(control.protection.name)))
            } else if itemClass == .certificate, case .access = value {
                continue
            } else if isOf(itemClass, name) {
                own.append((name, value))
            }
        }
        return own
    }

    /// An attribute that no class has goes to both halves, which refuse it.
    private static func isOf(_ itemClass: ItemClass, _ name: String) -> Bool {
        guard let key = AttributeKey(name), AttributeSchema.of(.identity).kind(of: key) != nil else { return true }
        return AttributeSchema.of(itemClass).kind(of: key) != nil
    }

    /// - Parameter note: called with each half that is new.
    /// - Throws: `errSecDuplicateItem` where both halves exist already.
    func add(noting note: (StoredHalf) -> Void = { _ in }) throws(KeychainError) -> ResultTree? {
        let stored = try store(noting: note)
        guard stored.isNew else {
            throw KeychainError(.duplicateItem, "certificate and private key of the identity are in the keychain")
        }
        return returns.isEmpty ? nil : try place.find(query(returns), in: stored.path)
    }

    /// Stores the identity and returns it from the keychain, where it may have been before.
    ///
    /// - Parameter note: called with each half that is new.
    func stored(noting note: (StoredHalf) -> Void) throws(KeychainError) -> SecIdentity {
        let stored = try store(noting: note)
        guard case .identity(let der, let key, let handle)? = try place.find(query(.reference), in: stored.path) else {
            throw KeychainError(.itemNotFound, "an identity that was stored is not there any more")
        }
        return SecIdentity(der, key, at: handle)
    }

    /// - Returns: whether at least one half is new, and the path of its file.
    private func store(
        noting note: (StoredHalf) -> Void = { _ in }
    ) throws(KeychainError) -> (isNew: Bool, path: String?) {
        let added = try place.add(certificate, in: nil)
        var newKey: StoredHalf?
        do throws(KeychainError) {
            newKey = try key.flatMap { (key) throws(KeychainError) in try place.add(key, in: added?.path) }
            let halves = [added, newKey].compactMap { $0 }
            if added == nil || key != nil && newKey == nil { try checkIsThere(halves.first?.path) }
            for half in halves { note(half) }
            return (!halves.isEmpty, halves.first?.path)
        } catch {
            throw error.leaving([newKey, added].compactMap { $0 }.filter { (try? place.remove($0)) == nil }.count)
        }
    }

    /// Checks that a half which the keychain has already is the identity's own.
    ///
    /// It is, unless a program gave another key this label, or another certificate has this issuer and serial number.
    ///
    /// - Throws: `errSecDuplicateItem` where it is another one: half of the identity would be stored.
    private func checkIsThere(_ path: String?) throws(KeychainError) {
        do throws(KeychainError) {
            if case .identity(der, _, _)? = try place.find(query(.reference), in: path) { return }
        } catch { guard error.status == .itemNotFound else { throw error } }
        throw KeychainError(
            .duplicateItem,
            "another certificate has the identity's issuer and serial number, or another key the application label of its private key: delete that one"
        )
    }

    private func query(_ returns: ReturnTypes) -> ItemQuery {
        var query = ItemQuery(itemClass: .identity)
        (query.certificates, query.synchronizable) = ([der], .any)
        (query.accessGroup, query.returns) = (certificate.accessGroup, returns)
        return query
    }
}
