import ChatelaineModel
import Foundation

/// Stores the content of an imported file in a file keychain.
///
/// A certificate that the keychain already has is no error, since many chains share the same ones; an existing key
/// is. If one thing cannot be stored, the things stored before it are deleted again.
struct ImportIntoKeychain {
    /// macOS's names for keys without a name.
    static let privateKey = "Imported Private Key"
    private static let publicKey = "Imported Public Key"
    private static let symmetricKey = "Imported Symmetric Key"

    private let keychain: SecKeychain
    private let parameters: ImportExportCalls.KeyParameters

    init(_ keychain: SecKeychain, _ parameters: ImportExportCalls.KeyParameters) {
        (self.keychain, self.parameters) = (keychain, parameters)
    }

    /// Stores the things and returns the keychain's objects, in the order of the file.
    func store(_ things: [NamedThing]) throws(KeychainError) -> [ImportedThing] {
        var (stored, new) = ([ImportedThing](), NewItems())
        do throws(KeychainError) {
            for thing in things { stored.append(try store(thing, &new)) }
        } catch { throw new.takenBack(after: error) }
        return stored
    }

    private func store(_ named: NamedThing, _ new: inout NewItems) throws(KeychainError) -> ImportedThing {
        let (thing, object) = (named.thing, named.thing.queryValue)
        let pairs: [ItemCalls.Pair] = [place, (Name.object, object), (Name.returns, .number(1))]
        guard case .certificate = thing else {
            return try added(pairs + ofKeys(thing, called: named.label), named.label ?? Self.privateKey, &new)
        }
        do throws(KeychainError) { return try added(pairs, nil, &new) } catch {
            guard error.status == .duplicateItem else { throw error }
            return try found(object)
        }
    }

    private enum Name {
        static let (object, returns) = (kSecValueRef as String, kSecReturnRef as String)
    }

    private var place: ItemCalls.Pair { (kSecUseKeychain as String, .keychain(keychain.path.text)) }

    private func ofKeys(_ thing: ImportedThing, called label: String?) -> [ItemCalls.Pair] {
        var pairs = parameters.uses?.attributes ?? []
        if let access = parameters.access { pairs.append((kSecAttrAccess as String, .access(access))) }
        if !parameters.isExtractable { pairs.append((kSecAttrIsExtractable as String, .number(0))) }
        if case .key(let key) = thing {
            let pair = key.isPrivate ? Self.privateKey : Self.publicKey
            let usual = key.symmetricKey == nil ? pair : Self.symmetricKey
            pairs.append((kSecAttrLabel as String, .text(label ?? usual)))
            if key.symmetricKey != nil {
                pairs.append((kSecAttrApplicationLabel as String, KeyCalls.randomLabel))
            }
        }
        return pairs
    }

    /// - Parameter keyLabel: the label of an identity's key.
    private func added(
        _ pairs: [ItemCalls.Pair], _ keyLabel: String?, _ new: inout NewItems
    ) throws(KeychainError) -> ImportedThing {
        if let identity = try NewIdentity(pairs, keyLabel: keyLabel) {
            return try self.thing(try identity.add { new.note($0) })
        }
        let added = try thing(try FileItemCalls.add(pairs))
        switch added {
        case .certificate(let certificate): new.note(certificate.keychainItem)
        case .key(let key): new.note(key.keychainItem)
        case .identity: break
        }
        return added
    }

    private func found(_ object: QueryValue) throws(KeychainError) -> ImportedThing {
        let list = QueryValue.array([.keychain(keychain.path.text)])
        return try thing(
            try FileItemCalls.find(
                [(kSecMatchSearchList as String, list), (Name.object, object), (Name.returns, .number(1))],
                hasPlace: true))
    }

    private func thing(_ result: ResultTree?) throws(KeychainError) -> ImportedThing {
        switch result {
        case .certificate(let der, let handle)?: return .certificate(SecCertificate(der: der, at: handle))
        case .key(let key)?: return .key(SecKey(key))
        case .symmetricKey(let key)?: return .key(SecKey(key))
        case .identity(let der, let key, let handle)?: return .identity(SecIdentity(der, key, at: handle))
        default: throw KeychainError(.internalComponent, "what was stored in a keychain is not told")
        }
    }
}

extension ImportedThing {
    fileprivate var queryValue: QueryValue {
        switch self {
        case .certificate(let certificate): certificate.queryValue
        case .key(let key): .key(key)
        case .identity(let identity): identity.queryValue
        }
    }
}
