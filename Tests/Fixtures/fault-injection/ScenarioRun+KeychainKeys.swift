import ChatelaineCryptography
import ChatelaineMemory
import ChatelaineModel
import FileKeychains
import InProcess
import ItemStore
import StoreEngine

/// Operations on private keys and identities of a file keychain; keyd's own code uses the keys in this process.
///
/// A private key is checked by a signature for its public half, a symmetric key by what it wraps, and a certificate by
/// whether its key exists.
extension ScenarioRun {
    /// Makes a key pair: both keys exist afterwards, or neither.
    func makeKeysInKeychain(_ name: String) {
        let pair = NewKeyPair(
            kind: .ec, bits: 256, privateKey: Self.keychainKey(.privateKey, name),
            publicKey: Self.keychainKey(.publicKey, name))
        changeItems(
            "make \(name)",
            {
                $0["\(name), private"] = Item(secret: KeychainHome.signs, label: name)
                $0["\(name), public"] = Item(secret: KeychainHome.isPublic, label: name)
            }
        ) { (store, request) throws(KeychainError) in
            _ = try store.makeKey(pair, groups: (FileKeychain.group, FileKeychain.group), request: request)
        }
    }

    /// Adds a symmetric key that never leaves, with bytes that follow from its name.
    func addSymmetricKeyToKeychain(_ name: String) {
        changeItems(
            "add the symmetric key \(name)",
            { $0["\(name), symmetric"] = Item(secret: KeychainHome.wraps, label: name) }
        ) { (store, request) throws(KeychainError) in
            var key = Self.keychainKey(.symmetric, name)
            key.keyKind = .aes
            key.attributes[.type] = .number(KeyAttributes.aesType)
            key.attributes[.isExtractable] = .number(0)
            key.secret = KeychainHome.symmetricKey(name)
            _ = try store.add(key, group: FileKeychain.group, request: request)
        }
    }

    /// Makes the requests of the library for a PKCS#12 file.
    ///
    /// One request each stores the issuer's certificate, the identity's certificate, and then its key. So no key ever
    /// exists without its certificate.
    func importIntoKeychain(_ identity: SampleIdentity) {
        for certificate in [identity.issuer, identity.certificate] {
            changeItems(
                "import the certificate \(certificate.label)",
                { $0[certificate.label] = Item(secret: certificate.label, label: KeychainHome.isAlone) }
            ) { (store, request) throws(KeychainError) in
                _ = try store.add(certificate.item, group: FileKeychain.group, request: request)
            }
        }
        let name = identity.name
        changeItems(
            "import the key \(name)",
            {
                $0["\(name), private"] = Item(secret: KeychainHome.signs, label: name)
                $0[identity.certificate.label]?.label = KeychainHome.hasKey
            }
        ) { (store, request) throws(KeychainError) in
            var key = Self.keychainKey(.privateKey, name)
            key.secret = identity.key
            _ = try store.add(key, group: FileKeychain.group, request: request)
        }
    }

    /// Removes an identity, as the library does where it cannot store the rest of a file: the key before its
    /// certificate.
    func takeBack(_ identity: SampleIdentity) {
        deleteKeysFromKeychain(identity.name) { $0[identity.certificate.label]?.label = KeychainHome.isAlone }
        for certificate in [identity.certificate, identity.issuer] {
            changeItems("delete \(certificate.label)", { $0[certificate.label] = nil }) {
                (store, request) throws(KeychainError) in
                var query = ItemQuery(itemClass: .certificate)
                query.attributes[.label] = .text(certificate.label)
                try store.delete(query, groups: [FileKeychain.group], request: request)
            }
        }
    }

    func labelKeysInKeychain(_ name: String, _ label: String) {
        var change = ItemChange()
        change.attributes[.label] = .text(label)
        changeItems(
            "label \(name)", { items in for half in Self.halves(name) { items[half]?.label = label } }
        ) { (store, request) throws(KeychainError) in
            try store.update(Self.keychainKeys(name), change, groups: [FileKeychain.group], request: request)
        }
    }

    func deleteKeysFromKeychain(_ name: String, _ edit: (inout [String: Item]) -> Void = { _ in }) {
        changeItems(
            "delete \(name)",
            { items in
                for half in Self.halves(name) { items[half] = nil }
                edit(&items)
            }
        ) { (store, request) throws(KeychainError) in
            try store.delete(Self.keychainKeys(name), groups: [FileKeychain.group], request: request)
        }
    }

    private func changeItems(
        _ what: String, _ edit: (inout [String: Item]) -> Void,
        _ body: @escaping (ItemStore, ChangeRequest) throws(KeychainError) -> Void
    ) {
        guard let request = try? Self.request() else { return complain("no request") }
        change(
            what,
            { state in
                guard var keychain = state.keychain else { return }
                edit(&keychain.items)
                state.keychain = keychain
            }
        ) { (home) throws(KeychainError) in try body(try home.keychain.store(), request) }
    }

    /// The names of all keys that may have a tag.
    private static func halves(_ name: String) -> [String] {
        ["\(name), private", "\(name), public", "\(name), symmetric"]
    }

    private static func keychainKey(_ half: KeyHalf, _ name: String) -> NewItem {
        var item = NewItem(itemClass: .key)
        item.keyKind = .ec
        item.attributes[.keyClass] = .number(half.rawValue)
        item.attributes[.applicationTag] = .text(name)
        item.attributes[.label] = .text(name)
        return item
    }

    private static func keychainKeys(_ name: String) -> ItemQuery {
        var query = ItemQuery(itemClass: .key)
        query.attributes[.applicationTag] = .text(name)
        return query
    }
}

/// The contents of a PKCS#12 file.
struct SampleIdentity: Sendable {
    struct Certificate: Sendable {
        let label: String
        /// The hash of the public key, by which the private key is found.
        let hash: [UInt8]

        var item: NewItem {
            var item = NewItem(itemClass: .certificate)
            item.attributes[.label] = .text(label)
            // Certificates with the same issuer and serial number are duplicates.
            item.attributes[.issuer] = .data(Array("an authority".utf8))
            item.attributes[.serialNumber] = .data(Array(label.utf8))
            item.attributes[.publicKeyHash] = .data(hash)
            item.secret = SecretBytes(label.utf8)
            return item
        }
    }

    let name: String
    let key: SecretBytes
    let certificate: Certificate
    let issuer: Certificate

    init(_ name: String) throws(KeychainError) {
        self.name = name
        let made = try CryptographicKey.generate(.ec, bits: Self.bits)
        key = try made.privateRepresentation()
        let hash = try SampleIdentity.hash(of: made.publicRepresentation())
        certificate = Certificate(label: "\(name), certificate", hash: hash)
        issuer = Certificate(label: "\(name), issuer", hash: [UInt8](repeating: 1, count: hash.count))
    }

    private static let bits = 256

    static func hash(of publicKey: [UInt8]) throws(KeychainError) -> [UInt8] {
        try publicKey.withUnsafeBytes { bytes in
            Result { () throws(KeychainError) in try KeyDigest.sha1.digest(of: bytes) }
        }.get()
    }
}

extension KeychainHome {
    static let signs = "signs"
    static let isPublic = "public"
    static let wraps = "wraps"
    /// The labels of a certificate without and with its private key.
    static let (isAlone, hasKey) = ("without a key", "with its key")
    private static let algorithm = "algid:sign:ECDSA:message-X962:SHA256"
    private static let message = Array("a message".utf8)

    /// The tag that both keys of a pair have; other keys have an empty tag.
    static func pair(of found: FoundItem) -> String? {
        guard case .text(let name)? = found.attributes[.applicationTag], !name.isEmpty else { return nil }
        return name
    }

    /// Finds the keys of pairs by tag and half, and the certificates of identities by label.
    func pairs() throws(KeychainError) -> [String: Item] {
        var (items, privateKeys) = ([String: Item](), Set<AttributeValue>())
        for found in try all(.key) {
            guard let name = Self.pair(of: found) else { continue }
            guard let key = found.key, case .text(let label)? = found.attributes[.label] else {
                throw KeychainError(.decode, "an item of class key without a label or a key")
            }
            guard key.custody != nil else {
                items["\(name), public"] = Item(secret: Self.isPublic, label: label)
                continue
            }
            guard key.kind != .aes else {
                items["\(name), symmetric"] = Item(
                    secret: try wraps(found, name) ? Self.wraps : "wraps as another key", label: label)
                continue
            }
            privateKeys.insert(.data(try SampleIdentity.hash(of: key.publicBytes)))
            items["\(name), private"] = Item(
                secret: try signs(found.identifier, key) ? Self.signs : "signs for another", label: label)
        }
        for found in try all(.certificate) {
            guard let hash = found.attributes[.publicKeyHash] else { continue }
            guard case .text(let label)? = found.attributes[.label], let secret = found.secret else {
                throw KeychainError(.decode, "a certificate without a label or its bytes")
            }
            items[label] = Item(
                secret: secret.withUnsafeBytes { String(decoding: $0, as: UTF8.self) },
                label: privateKeys.contains(hash) ? Self.hasKey : Self.isAlone)
        }
        return items
    }

    private func all(_ itemClass: ItemClass) throws(KeychainError) -> [FoundItem] {
        var query = ItemQuery(itemClass: itemClass)
        (query.limit, query.returns) = (.all, [.data, .attributes])
        return try keychain.store().find(query, groups: [FileKeychain.group])
    }

    /// The bytes of a symmetric key.
    static func symmetricKey(_ name: String) -> SecretBytes {
        SecretBytes([UInt8](repeating: name.utf8.first ?? 0, count: symmetricKeyBytes))
    }
    private static let symmetricKeyBytes = 32

    /// Whether a key wraps another one as the bytes of its name do, and gives out nothing.
    private func wraps(_ found: FoundItem, _ name: String) throws(KeychainError) -> Bool {
        let inner = Self.symmetricKey("inner")
        let wrapped = try keychain.store().useKey(found.identifier, .wrap(inner), groups: [FileKeychain.group])
        let expected = try SymmetricKey(Self.symmetricKey(name)).wrapped(SymmetricKey(inner))
        return found.secret == nil && wrapped == SecretBytes(expected)
    }

    private func signs(_ item: ItemIdentifier, _ key: KeyDescription) throws(KeychainError) -> Bool {
        let signature = try keychain.store().useKey(
            item, .sign(algorithm: Self.algorithm, Self.message), groups: [FileKeychain.group])
        guard let algorithm = KeyAlgorithm(name: Self.algorithm) else { return false }
        let publicKey = try CryptographicKey(key.kind, publicRepresentation: key.publicBytes)
        let verified = signature.withUnsafeBytes { signature in
            Self.message.withUnsafeBytes { message in
                Result { () throws(KeychainError) in try publicKey.verify(signature, of: message, by: algorithm) }
            }
        }
        if case .success = verified { return true }
        return false
    }
}
